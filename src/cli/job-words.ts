/** What the daemon says of the tools for jobs, and how the command line says the same. In order. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/; it waits a while, and can be called again/g, ''],
  [
    /\bcall job_result (?:again )?with \{"job_id": "(\w+)"\}(?: for the answer)?/gi,
    'exai jobs result $1 --wait',
  ],
  [/\bjob_result with \{"job_id": "(\w+)"\}/g, 'exai jobs result $1'],
  [
    /\bread_result (?:with )?\{"id": "(\w+)", "offset": (\d+)\}/g,
    'exai results read $1 --offset $2',
  ],
  [/\bread_result (?:with )?\{"id": "(\w+)"\}/g, 'exai results read $1'],
  [/^"(?:job_id|id|uri|before)" is no id/g, 'This is no id'],
  [/\bjob_list shows yours\b/g, 'exai jobs lists yours'],
  [/\bjob_result without job_id lists yours\b/g, 'exai jobs lists yours'],
  [/\bjob_result\b/g, 'exai jobs result'],
  [/\bjob_cancel\b/g, 'exai jobs cancel'],
];

/** A sentence about a job, with the commands that one can type. Never for an answer. */
export function jobWords(sentence: string): string {
  return WORDS.reduce((words, [tool, command]) => words.replaceAll(tool, command), sentence);
}
