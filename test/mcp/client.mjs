// Usage: node client.mjs URL TOKEN [TOOL ARGUMENTS]...
// Lists the tools of a server, calls the tools, and prints what it was answered as one JSON object.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token, ...calls] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
const said = { tools: [], answers: [] };
try {
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  said.tools = (await client.listTools()).tools.map((t) => t.name);
  for (let i = 0; i < calls.length; i += 2) {
    try {
      const answer = await client.callTool({ name: calls[i], arguments: JSON.parse(calls[i + 1]) });
      said.answers.push({ text: answer.content[0].text, wrong: answer.isError === true });
    } catch (error) {
      said.answers.push({ text: error.message, wrong: true });
    }
  }
  await client.close();
} catch (error) {
  said.error = error.message;
}
console.log(JSON.stringify(said));
