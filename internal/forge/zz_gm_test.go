package forge
import ("testing";"strings";"time";"fmt"
"github.com/yuin/goldmark"
"github.com/yuin/goldmark/text"
"github.com/yuin/goldmark/extension")
func TestZZ(t *testing.T){
 p:=goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
 bt:=""; for i:=1;len(bt)<60000;i++{bt+=strings.Repeat("`",i)+"a"}
 for _,part:=range []string{"<a \"","![","<!--","](","`","[a","<<b>b","<a b='","```\n","](<a ","> ","- ","1. ","*a ","*a **b ","_a","~~a","[","[]","[x]: a\n","[a](","<?","<![CDATA[","<!A","|a","|a\n|-\n","    - a\n","\\`","``a`","[x]: <a","[a]: b 'c\n","* a\n > b\n", "<a ", "</a", "!["+"[]", "a**b_c", "- - a\n","\n\n> x\n"}{
  s:=strings.Repeat(part,(128<<10)/len(part)); b:=time.Now(); p.Parse(text.NewReader([]byte(s))); if d:=time.Since(b);d>300*time.Millisecond{fmt.Printf("%q %s\n",part,d)}
 }
 b:=time.Now(); p.Parse(text.NewReader([]byte(bt))); fmt.Println("bt",len(bt),time.Since(b))
}
