import type { PromptRow, RowArgument } from './prompt-row.ts';

const MODEL: RowArgument = {
  name: 'model',
  kind: 'model',
  description: 'The model to ask; EX-AI chooses one unless told.',
};
const THREAD: RowArgument = {
  name: 'continuation_id',
  kind: 'thread',
  description: 'The conversation to go on with.',
};
const FILES: RowArgument = {
  name: 'files',
  kind: 'paths',
  description: 'Files or folders it is about, with commas between them.',
};
/** Files for the expert of a workflow. */
const RELEVANT_FILES: RowArgument = { ...FILES, to: 'relevant_files' };

const choice = (name: string, description: string): RowArgument => ({
  name,
  kind: 'choice',
  description,
});

const FIRST_STEP = { step_number: 1, total_steps: 3, next_step_required: true };
const FINDINGS = { findings: 'what is known so far, in a few sentences.' };
const INFER_FROM_CONVERSATION =
  'what the user wants, as the conversation so far shows it; ask if it does not.';

/** Common rows of the tools that investigate in steps. */
const INVESTIGATING = {
  to: ['step'],
  ifNoText: INFER_FROM_CONVERSATION,
  mode: 'steps',
  fixed: FIRST_STEP,
  fill: FINDINGS,
} as const;

/** The tools that a user starts as slash commands. */
export const PROMPT_ROWS: readonly PromptRow[] = [
  {
    tool: 'chat',
    title: 'Chat',
    description: 'Ask another model for an answer or a second opinion.',
    text: { name: 'prompt', description: 'What you ask.' },
    to: ['prompt'],
    ifNoText:
      'the question that the user is at, with all the context that a model needs which knows nothing of it.',
    more: [
      MODEL,
      FILES,
      THREAD,
      choice('thinking_mode', 'How hard the model thinks: minimal, low, medium, high or max.'),
    ],
    mode: 'once',
    end: 'show the user the answer and who gave it. Where you see it otherwise, say so and why.',
  },
  {
    tool: 'challenge',
    title: 'Challenge',
    description: 'Have a statement tested before anybody agrees with it.',
    text: { name: 'prompt', description: 'The statement; what was said last unless told.' },
    to: ['prompt'],
    ifNoText: 'the last statement that was agreed with, in its own words.',
    more: [],
    mode: 'once',
    end: 'work through challenge_prompt of the answer, and tell the user what holds and what does not.',
  },
  {
    tool: 'planner',
    title: 'Planner',
    description: 'Work out a plan step by step, with branches and revisions.',
    text: { name: 'prompt', description: 'What is to be planned.' },
    to: ['step'],
    ifNoText: INFER_FROM_CONVERSATION,
    more: [THREAD],
    mode: 'steps',
    fixed: { ...FIRST_STEP, total_steps: 5 },
    end: 'show the user the plan as a whole.',
  },
  {
    tool: 'consensus',
    title: 'Consensus',
    description: 'Ask several models at once, and see where they agree and where they do not.',
    text: { name: 'prompt', description: 'The question or proposal they are to judge.' },
    to: ['prompt'],
    ifNoText:
      'the decision that the user is at, put neutrally, with all the context that the models need.',
    more: [
      {
        name: 'models',
        kind: 'models',
        description: 'Two to eight models, with commas between them; EX-AI chooses unless told.',
      },
      FILES,
      THREAD,
    ],
    mode: 'once',
    end: 'tell the user the outcome: what all agree on, where they differ and why, and what you make of it.',
  },
  {
    ...INVESTIGATING,
    tool: 'thinkdeep',
    title: 'Thinkdeep',
    description: 'Think a hard problem through, and have another model test the outcome.',
    text: { name: 'prompt', description: 'The problem.' },
    more: [MODEL, RELEVANT_FILES, THREAD, choice('thinking_mode', 'How hard the expert thinks.')],
    end: 'tell the user the conclusion, what speaks against it, and what the expert added.',
  },
  {
    ...INVESTIGATING,
    tool: 'analyze',
    title: 'Analyze',
    description: 'Understand a codebase or a part of it, and have another model assess it.',
    text: { name: 'prompt', description: 'What is to be understood.' },
    more: [
      MODEL,
      RELEVANT_FILES,
      THREAD,
      choice('analysis_type', 'architecture, performance, security, quality or general.'),
    ],
    end: 'tell the user what was found, the weightiest first, with file and line.',
  },
  {
    ...INVESTIGATING,
    tool: 'debug',
    title: 'Debug',
    description: 'Find the cause of a bug, and have another model test it against the code.',
    text: { name: 'prompt', description: 'What goes wrong, and since when.' },
    more: [MODEL, RELEVANT_FILES, THREAD],
    end: 'tell the user the cause with file and line, the evidence, and the smallest fix.',
  },
  {
    ...INVESTIGATING,
    tool: 'codereview',
    title: 'Codereview',
    description: 'Review code, and have another model check the findings.',
    text: { name: 'prompt', description: 'What is to be reviewed, and what matters.' },
    more: [
      MODEL,
      RELEVANT_FILES,
      THREAD,
      choice('review_type', 'full, security, performance or quick.'),
    ],
    end: 'tell the user the findings, the worst first, each with file, line and fix.',
  },
  {
    ...INVESTIGATING,
    tool: 'precommit',
    title: 'Precommit',
    description: 'Check changes before they are committed, with another model as judge.',
    text: { name: 'prompt', description: 'What the change is for.' },
    ifNoText: 'what the change is for, as far as the conversation so far shows it.',
    more: [
      MODEL,
      { name: 'path', kind: 'words', description: 'A folder of the repository.' },
      { name: 'compare_to', kind: 'words', description: 'A branch or commit to compare with.' },
      THREAD,
    ],
    end: 'tell the user whether it can be committed, and what stands in the way.',
  },
  {
    ...INVESTIGATING,
    tool: 'refactor',
    title: 'Refactor',
    description: 'Find what should be built differently, and have another model check the plan.',
    text: { name: 'prompt', description: 'What is to be improved, and why.' },
    more: [
      MODEL,
      RELEVANT_FILES,
      THREAD,
      choice('refactor_type', 'codesmells, decompose, modernize or organization.'),
    ],
    end: 'tell the user what to change in which order, each with its gain and its risk.',
  },
  {
    ...INVESTIGATING,
    tool: 'secaudit',
    title: 'Secaudit',
    description: 'Look for security holes, and have another model check and complete them.',
    text: { name: 'prompt', description: 'What is to be audited, and against whom.' },
    more: [
      MODEL,
      RELEVANT_FILES,
      THREAD,
      choice('audit_focus', 'owasp, compliance, infrastructure, dependencies or comprehensive.'),
    ],
    end: 'tell the user the holes, the worst first, each with how it is used and how it is closed.',
  },
  {
    ...INVESTIGATING,
    tool: 'testgen',
    title: 'Testgen',
    description: 'Plan and write tests, and have another model name the cases that are missing.',
    text: { name: 'prompt', description: 'What is to be tested.' },
    more: [MODEL, RELEVANT_FILES, THREAD],
    end: 'write the tests in the way of the project, run them, and tell the user what they cover.',
  },
  {
    ...INVESTIGATING,
    tool: 'docgen',
    title: 'Docgen',
    description: 'Document code file by file, so that none is left out.',
    text: { name: 'prompt', description: 'What is to be documented.' },
    more: [RELEVANT_FILES, THREAD],
    end: 'tell the user which files were documented, and which mistakes you noticed on the way.',
  },
  {
    ...INVESTIGATING,
    tool: 'tracer',
    title: 'Tracer',
    description: 'Trace how a function is reached and what it does, or what a module depends on.',
    text: { name: 'prompt', description: 'The function, class or module.' },
    to: ['step', 'target_description'],
    more: [RELEVANT_FILES, THREAD, choice('trace_mode', 'precision, dependencies or ask.')],
    fixed: { ...FIRST_STEP, trace_mode: 'ask' },
    end: 'show the user the trace as the last answer describes it.',
  },
  {
    tool: 'apilookup',
    title: 'Apilookup',
    description: 'Look up the current documentation of an API, library or version.',
    text: { name: 'prompt', description: 'What you want to know of which API.' },
    to: ['prompt'],
    ifNoText: 'what has to be looked up: the API, its version, and the question.',
    more: [],
    mode: 'once',
    end: 'tell the user what was found, with its sources, and go on with the work by it.',
  },
];
