// A host as opencode is one: plays events to the plugin named first, prints what came of them as JSON.
import { pathToFileURL } from "node:url"

const module = await import(pathToFileURL(process.argv[2]))
const plugins = Object.values(module)
const hooks = await plugins[0]({ directory: process.argv[3] })
const tell = (type, properties) => hooks.event({ event: { type, properties } })
const system = async (sessionID) => {
  const output = { system: ["the host's own"] }
  await hooks["experimental.chat.system.transform"]({ sessionID, model: {} }, output)
  return output.system
}
const ask = (sessionID, text, agent) =>
  hooks["chat.message"]({ sessionID, agent }, { message: {}, parts: [{ type: "text", text }, { type: "text", text: "no", synthetic: true }] })
const answer = async (sessionID, messageID, text) => {
  await tell("message.updated", { info: { id: messageID, sessionID, role: "assistant" } })
  await tell("message.part.updated", { part: { id: `${messageID}-1`, sessionID, messageID, type: "text", text: text.slice(0, 3) } })
  await tell("message.part.updated", { part: { id: `${messageID}-1`, sessionID, messageID, type: "text", text } })
  await tell("message.part.updated", { part: { id: `${messageID}-2`, sessionID, messageID, type: "reasoning", text: "no" } })
}

await tell("session.created", { info: { id: "s1", directory: process.argv[3] } })
await tell("session.created", { info: { id: "child", parentID: "s1" } })
await tell("session.created", { info: { id: "grandchild", parentID: "child" } })
await ask("child", "of a subagent", "general")
await ask("grandchild", "of its subagent", "general")
await tell("message.updated", { info: { id: "m0", sessionID: "s1", role: "user" } })
await ask("s1", "question")
const first = await system("s1")
const after = async (sessionID, exit, tool = "bash") => {
  const output = { title: "", output: "printed", metadata: { exit } }
  await hooks["tool.execute.after"]({ tool, sessionID, callID: "c", args: { command: "make" } }, output)
  return output.output
}
const tools = [await after("s1", 2), await after("s1", 0), await after("s1", undefined, "edit"), await after("child", 1)]
await answer("s1", "m1", "on the way")
await answer("s1", "m2", "the answer")
await tell("session.idle", { sessionID: "s1" })
await tell("session.idle", { sessionID: "s1" })
await hooks["experimental.session.compacting"]({ sessionID: "s1" }, { context: [] })
await tell("session.compacted", { sessionID: "s1" })
await ask("resumed", "later")
await tell("nonsense", undefined)
await tell("session.created", {})
await hooks["chat.message"]({}, {})
await hooks.dispose()
console.log(JSON.stringify({ plugins: plugins.length, first, tools, child: await system("child"), none: await system(undefined) }))
