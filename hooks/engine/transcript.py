"""The conversation of the agent, as hooks see it (R13)."""

TRANSCRIPT_PATH = "/mnt/data/hook_transcript.txt"
