package listen

// whoAreYou is what somebody is told whom only the Directory could know, while it does not answer.
const whoAreYou = "I can't tell right now who you are; please try again in a minute."
