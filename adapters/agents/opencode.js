// hardwon for opencode: what a session says goes to the hook, what the hook prints goes into the system prompt.
// Written by `hardwon init`, removed by `hardwon init --remove`. Nothing here may disturb the session.
import { spawn } from "node:child_process"

const HOOK = "hardwon-hook"
const LONGEST_WAIT = 10000 // milliseconds
const MOST_TEXT = 4000000 // characters

/** Return what the hook prints for a payload; nothing when it can't be started, fails, or takes too long. */
function ask(payload, directory) {
  return new Promise((resolve) => {
    let text = ""
    let timer
    const end = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    try {
      const hook = spawn(HOOK, [], { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
      timer = setTimeout(() => {
        hook.kill("SIGKILL")
        end("")
      }, LONGEST_WAIT)
      hook.on("error", () => end(""))
      hook.on("close", (code) => end(code === 0 ? text.trimEnd() : ""))
      hook.stdout.setEncoding("utf8")
      hook.stdout.on("data", (chunk) => {
        if (text.length < MOST_TEXT) text += chunk
      })
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify(payload))
    } catch {
      end("")
    }
  })
}

/** Return the text for the model in what the hook answers after a tool. */
function contextIn(answer) {
  try {
    return JSON.parse(answer).hookSpecificOutput.additionalContext
  } catch {
    return ""
  }
}

/** Return the text of a message. */
function promptIn(parts) {
  return parts
    .filter((part) => part.type === "text" && !part.synthetic)
    .map((part) => part.text)
    .join("\n")
}

/** What is known of one session. */
class Session {
  constructor(id, directory) {
    this.id = id
    this.directory = directory
    this.blocks = new Map() // by event: each is in the system prompt of every request
    this.roles = new Map() // by message
    this.texts = new Map() // by part of the last answer
    this.answer = ""
    this.started = null
  }

  async tell(event, fields = {}) {
    const payload = { session_id: this.id, cwd: this.directory, hook_event_name: event, ...fields }
    return ask(payload, this.directory)
  }

  start(source) {
    this.started = this.tell("SessionStart", { source }).then((block) => this.blocks.set("start", block))
    return this.started
  }

  /** Collect the texts of the last answer; a new message begins anew. */
  hear(part) {
    if (part.type !== "text" || part.synthetic || this.roles.get(part.messageID) !== "assistant") return
    if (this.answer !== part.messageID) this.texts.clear()
    this.answer = part.messageID
    this.texts.set(part.id, part.text)
  }

  async stop() {
    const said = [...this.texts.values()].join("\n").trim()
    this.texts.clear()
    this.roles.clear()
    if (said) await this.tell("Stop", { stop_hook_active: false, last_assistant_message: said })
  }
}

/** Return *act* so that no error of it reaches the session. */
const quietly =
  (act) =>
  async (...given) => {
    try {
      await act(...given)
    } catch {
      // the session goes on without a memory
    }
  }

export const HardwonPlugin = async ({ directory }) => {
  const sessions = new Map()
  const children = new Map() // sessions of subagents, which are not the user's conversation, with their parent's
  const tasks = new Map() // what subagents were told for their tasks, by session

  const known = (id) => {
    if (typeof id !== "string" || children.has(id)) return null
    if (!sessions.has(id)) sessions.set(id, new Session(id, directory))
    return sessions.get(id)
  }

  /** Return the session of the user that a session belongs to. */
  const userSession = (id) => (children.has(id) ? userSession(children.get(id)) : known(id))

  const startSubagent = async (id, agent, prompt) => {
    const fields = { agent_id: id, agent_type: agent ?? "", prompt }
    const said = contextIn(await userSession(id)?.tell("SubagentStart", fields))
    if (said) tasks.set(id, [tasks.get(id), said].filter(Boolean).join("\n"))
  }

  const end = async (id) => {
    const session = sessions.get(id)
    sessions.delete(id)
    if (session) await session.tell("SessionEnd", { reason: "other" })
  }

  const events = {
    "session.created": ({ info }) => (info.parentID ? children.set(info.id, info.parentID) : known(info.id)?.start("startup")),
    "session.compacted": ({ sessionID }) => known(sessionID)?.start("compact"),
    "session.idle": ({ sessionID }) => sessions.get(sessionID)?.stop(),
    "session.deleted": ({ info }) => end(info.id),
    "message.updated": ({ info }) => sessions.get(info.sessionID)?.roles.set(info.id, info.role),
    "message.part.updated": ({ part }) => sessions.get(part.sessionID)?.hear(part),
  }

  return {
    event: quietly(async ({ event }) => events[event.type]?.(event.properties)),
    "chat.message": quietly(async ({ sessionID, agent }, { parts }) => {
      const text = promptIn(parts)
      if (children.has(sessionID)) return startSubagent(sessionID, agent, text)
      const session = known(sessionID)
      if (!session) return
      if (!session.started) session.start("startup") // the blocks of an earlier process are in no request of this one, results of tools are
      session.blocks.set("prompt", await session.tell("UserPromptSubmit", { prompt: text }))
    }),
    "tool.execute.after": quietly(async ({ tool, sessionID, args }, output) => {
      if (tool !== "bash" || !output.metadata?.exit) return
      const session = userSession(sessionID)
      const agent = children.has(sessionID) ? { agent_id: sessionID } : {}
      const failed = { tool_name: tool, tool_input: args, tool_response: { output: output.output }, ...agent }
      const said = contextIn(await session.tell("PostToolUseFailure", failed))
      if (said) output.output += `\n\n${said}`
    }),
    "experimental.chat.system.transform": quietly(async ({ sessionID }, output) => {
      if (tasks.has(sessionID)) output.system.push(tasks.get(sessionID))
      const session = sessions.get(sessionID)
      await session?.started
      for (const block of session?.blocks.values() ?? []) if (block) output.system.push(block)
    }),
    "experimental.session.compacting": quietly(async ({ sessionID }) => {
      await sessions.get(sessionID)?.tell("PreCompact", { trigger: "auto", custom_instructions: null })
    }),
    dispose: quietly(async () => {
      await Promise.all([...sessions.keys()].map(end))
    }),
  }
}
