import type { PromptRow, RowArgument } from './prompt-row.ts';

const MODEL: RowArgument = {
  name: 'model',
  kind: 'model',
  description: 'The model to use (default: chosen by EX-AI).',
};
const THREAD: RowArgument = {
  name: 'continuation_id',
  kind: 'thread',
  description: 'The conversation to continue.',
};
const FILES: RowArgument = {
  name: 'files',
  kind: 'paths',
  description: 'Files or folders, separated by commas.',
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
    end: 'show the user the answer and the model. If you disagree, say so and why.',
  },
  {
    tool: 'file_chat',
    title: 'Files',
    description: 'Ask about documents, code or pictures, with checked citations.',
    text: { name: 'prompt', description: 'What you ask.' },
    to: ['prompt'],
    ifNoText: 'what the user wants to know about the files; ask if it is not clear.',
    more: [FILES, MODEL, THREAD],
    mode: 'once',
    end: 'show the user the answer with its citations, and say which of them were not verified.',
  },
  {
    tool: 'describe_image',
    title: 'Pictures',
    description: 'Ask about pictures, or compare several.',
    text: { name: 'prompt', description: 'What you ask (default: what is shown).' },
    to: ['prompt'],
    ifNoText: 'what the user wants to know about the pictures; else what is shown.',
    more: [
      { name: 'images', kind: 'paths', description: 'Pictures, separated by commas.' },
      MODEL,
      THREAD,
    ],
    mode: 'once',
    end: 'show the user the answer and the model.',
  },
  {
    tool: 'challenge',
    title: 'Challenge',
    description: 'Critically examine a statement before agreeing with it.',
    text: { name: 'prompt', description: 'The statement (default: the last one).' },
    to: ['prompt'],
    ifNoText: 'the last statement that was agreed with, in its own words.',
    more: [],
    mode: 'once',
    end: 'work through challenge_prompt of the answer, and tell the user what is right and what is not.',
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
        description: 'Two to eight models, separated by commas (default: chosen by EX-AI).',
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
    end: 'tell the user the conclusion, the arguments against it, and what the expert added.',
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
    end: 'tell the user the findings, most important first, with file and line.',
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
    end: 'tell the user whether it can be committed, and what blocks it.',
  },
  {
    ...INVESTIGATING,
    tool: 'refactor',
    title: 'Refactor',
    description: 'Find what to restructure, and have another model check the plan.',
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
    description: 'Find vulnerabilities, and have another model check and complete them.',
    text: { name: 'prompt', description: 'What to audit, and against which attackers.' },
    more: [
      MODEL,
      RELEVANT_FILES,
      THREAD,
      choice('audit_focus', 'owasp, compliance, infrastructure, dependencies or comprehensive.'),
    ],
    end: 'tell the user the vulnerabilities, most severe first, each with its attack and its fix.',
  },
  {
    ...INVESTIGATING,
    tool: 'testgen',
    title: 'Testgen',
    description: 'Plan and write tests, and have another model name the cases that are missing.',
    text: { name: 'prompt', description: 'What is to be tested.' },
    more: [MODEL, RELEVANT_FILES, THREAD],
    end: 'write the tests in the style of the project, run them, and tell the user what they cover.',
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
    end: 'tell the user what was found, with its sources, and continue the work with it.',
  },
];
