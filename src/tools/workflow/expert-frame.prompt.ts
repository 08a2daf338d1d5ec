/** How every expert answers; follows the prompt of its workflow. */
export const EXPERT_FRAME = `You were given [request], the purpose of the work, and [findings], what an investigator found step by step. The other files are the code and the changes in question.

Answer with one JSON object and nothing before or after it:
{"summary": "…", "findings": [{"severity": "critical|high|medium|low", "description": "…", "file": "path", "line": 1, "fix": "…"}], "next_steps": ["…"]}

- summary: your verdict and its reasons, in Markdown; the first sentence is the verdict.
- findings: what you confirm, correct or add, most severe first, each once; file, line and fix where you know them. [] when there is nothing.
- next_steps: what to do now, in order, each in one sentence.
- All of it in the language of [request].

If you cannot answer without files that you were not given, answer this instead:
{"status": "files_required_to_continue", "mandatory_instructions": "what is missing, and why", "files_needed": ["path"]}`;
