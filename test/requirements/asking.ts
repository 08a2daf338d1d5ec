/** Promises about asking models, conversations, workflows and the simulator. */
export const ASKING_REQUIREMENTS = {
  'ask:chain':
    'When one fails, the next is asked within the same deadline, and the envelope lists each attempt and why.',
  'ask:once': 'Text that was told is never told again, and never silently cut.',
  'ask:crumbs': 'Each attempt and each change of a breaker leaves a line in attempts.jsonl.',
  'ask:cli':
    '`exai ask` streams the answer, says who gave it and why, and exits by the error’s class.',
  'sim:seeds':
    'The daemon keeps its invariants under simulated faults, and planted bugs are found.',
  'sim:http':
    'Sessions and streams over HTTP lose, repeat and mix up nothing under simulated faults.',
  'sim:rounds': 'A tool sees just what its client answered, and runs with a needed yes only.',
  'ask:faults':
    'Each fault of the list ends in the right answer or a typed error, for each class, whole and streamed.',
  'ask:alone': 'With `fallback: none` nobody else is asked.',
  'ask:bad-input': 'A request that cannot be asked is refused with the field and the fix.',
  'sim:asks':
    'Simulated models fail in every way of the facts; asks end in time, tell each word once, and list just what was asked.',
  'threads:durable':
    'A conversation continues across tools, models, transports and restarts, with its turns, files, usage and model.',
  'threads:owned': 'Another principal’s conversation is as unknown as one that never was.',
  'threads:unknown': 'An unknown continuation says what may have happened to it and what to do.',
  'threads:at-once':
    'Two calls on one conversation lose nothing; a step that another overtook is a conflict.',
  'threads:tool':
    'The threads tool and `exai threads` list, show, search, fork, rename and delete.',
  'threads:own-findings':
    'Workflows interleaved at random over many connections keep exactly their own findings.',
  'workflow:statuses': 'Every workflow has the statuses, skip words and renames that clients know.',
  'workflow:steps':
    'A step without its beginning, out of order or after the end is refused with what is next; going back drops the rest.',
  'workflow:expert':
    'The expert gets the request, the findings and the files; garbage, failure and time-out lose nothing.',
  'workflow:prompts': 'Every expert has its own short prompt, and material gives no orders.',
  'workflow:precommit': 'precommit reads staged, unstaged and compared changes of git itself.',
  'sim:jobs':
    'Under simulated crashes at any step every acknowledged job ends once, and nobody but its principal sees it.',
  'sim:gateway':
    'Simulated clients of the OpenAI and Anthropic APIs, cut, slow, revoked or gone, get one answer each, whole or with its error, in the words that the vendors said.',
} as const;
