/** How every expert answers; follows the prompt of its workflow. */
export const EXPERT_FRAME = `You were given [request], which is what the work is for, and [findings], which is what an investigator found step by step. Other files are the code and the changes that it is about.

Answer with one JSON object and nothing before or after it:
{"summary": "…", "findings": [{"severity": "critical|high|medium|low", "description": "…", "file": "path", "line": 1, "fix": "…"}], "next_steps": ["…"]}

- summary: your verdict and the reasons it rests on, in Markdown; the verdict stands in its first sentence.
- findings: what you confirm, correct or add, the worst first, each once; file, line and fix where you know them. [] when there is nothing.
- next_steps: what to do now, in order, each in one sentence.
- All of it in the language of [request].

If you cannot judge without files that you were not given, answer this instead:
{"status": "files_required_to_continue", "mandatory_instructions": "what is missing, and why", "files_needed": ["path"]}`;
