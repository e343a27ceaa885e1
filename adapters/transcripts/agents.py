"""The transcripts of a session's subagents."""

import glob
import os

ENDING = ".jsonl"
CODEX = "rollout-"
"""The beginning of a transcript's name in Codex, whose end names the agent."""


def folder_of_agents(transcript_path: str) -> str:
    """Return the folder where Claude Code keeps a session's subagents."""
    return os.path.join(transcript_path.removesuffix(ENDING), "subagents")


def transcript_of(transcript_path: str, agent: str) -> str:
    """
    Return the path of the transcript of *agent*, empty if unknown.

    Args:
        transcript_path: That of the session.
        agent: Empty for the session's own agent.
    """
    if not agent or os.path.basename(agent) != agent:
        return "" if agent else transcript_path
    folder, name = os.path.split(transcript_path)
    if name.startswith(CODEX):
        found = glob.glob(f"{CODEX}*-{glob.escape(agent)}{ENDING}", root_dir=folder or None)
        return os.path.join(folder, found[0]) if found else ""
    return os.path.join(folder_of_agents(transcript_path), f"agent-{agent}{ENDING}")
