/**
 * Detailed descriptions of arguments, by tool. They replace the short ones of the schema, which are
 * short because a schema is sent with every question.
 */
export type ArgumentHelp = Readonly<Record<string, string>>;

const MODEL =
  'A name, or auto (default). A name beats the rules; another model answers only when it fails, and the envelope says so. Without a name the model that answered last in the conversation is asked again.';
const THINKING =
  'How hard the model thinks: more takes longer and costs more. Models that cannot think ignore it with a notice.';
const TEMPERATURE =
  '0: the same each time. Left out for models that set it themselves, with a notice.';
const SEARCH =
  'auto (default): the web is searched when the words ask for what is new. Sources stand under the answer.';
const CONTINUATION =
  'Of an earlier answer, of any tool: the model sees what was said then. It lives through restarts.';
const FOLDERS = 'under the folders that the client works in';
const FILES = `Paths ${FOLDERS} (a folder stands for the texts in it), or {name, text}; of two with one name the last counts. Paths of earlier calls of the conversation are read again.`;

const CHAT: ArgumentHelp = {
  prompt:
    'What you ask. All that the model is to know stands here or in files: it sees nothing of your own conversation.',
  files: FILES,
  images: 'Data URLs or https addresses of pictures; a model that sees is chosen then.',
  model: MODEL,
  use_websearch: SEARCH,
  thinking_mode: THINKING,
  temperature: TEMPERATURE,
  max_cost_usd:
    'In dollars; 0: only free models. Models that could cost more are not asked, and when none is left nothing is sent.',
  continuation_id: CONTINUATION,
};

const STEPS: ArgumentHelp = {
  step: 'What this step looks into; in the first step also what all of the work is for.',
  step_number: 'From 1, without a gap. Step 1 begins anew; backtrack_from_step does one again.',
  total_steps: 'A guess, which may grow and shrink from step to step.',
  next_step_required: 'true: you look further and come back. false: the work ends with this step.',
  findings:
    'What is new in this step: evidence, also against the hypothesis. The steps before it are kept.',
  files_checked: 'Paths of all that was looked at, also where nothing was found.',
  relevant_context: 'Names of the functions and types that matter.',
  issues_found: 'What is wrong, as data. The steps add up: tell each once.',
  hypothesis: 'What you believe now, and would be glad to see refuted.',
  backtrack_from_step:
    'The same number as step_number: drops that step and all after it, and this call takes its place.',
  depth:
    'quick: the work ends as soon as the confidence is in the upper half of its words. normal and deep: it ends when you say so.',
};

/** Arguments of workflows that end with an expert. */
const EXPERT: ArgumentHelp = {
  ...STEPS,
  next_step_required:
    'true: you look further and come back. false: the work ends with this step, and as a rule an expert judges it.',
  relevant_files: `Paths ${FOLDERS}. Their contents go to the expert, as they are at the end.`,
  confidence:
    'How sure you are. The last word means that no second opinion is needed: no expert is asked, and from step 2 on the work ends.',
  use_assistant_model: 'false: no expert; what you found is put together at the end.',
  continuation_id:
    'Needed from step 2 on: the id that step 1 was answered with. In step 1 the id of any earlier answer: the expert sees what was said then.',
  model: `Who the expert is. ${MODEL}`,
  images:
    'Data URLs or https addresses, with the last step: the expert sees them, nobody keeps them.',
  use_websearch: `For the expert. ${SEARCH}`,
  thinking_mode: `For the expert. ${THINKING}`,
  temperature: `For the expert. ${TEMPERATURE}`,
  max_cost_usd:
    'What the expert may cost, in dollars; 0: only free models. Models that could cost more are not asked.',
  focus_on: 'What to look at above all.',
  focus_areas: 'What to look at above all.',
  severity_filter: 'The least that the expert reports.',
};

/** Arguments of workflows without an expert. */
const ALONE: ArgumentHelp = {
  ...STEPS,
  relevant_files: 'Paths that matter, for the summary at the end; nobody reads them.',
  confidence: 'How sure you are. The last word ends the work from step 2 on.',
  use_assistant_model: 'Ignored: no model is asked.',
  continuation_id:
    'Needed from step 2 on: the id that step 1 was answered with. In step 1 the id of any earlier answer, whose conversation goes on.',
  model: 'Ignored: no model is asked.',
};

const IGNORED = 'Ignored: sent by clients of older servers.';

const JOB_ID = 'As the call told it when it became a job: job_ and 22 letters and digits.';

export const ARGUMENT_HELP: Readonly<Record<string, ArgumentHelp>> = {
  job_cancel: { job_id: `${JOB_ID} job_result without job_id lists yours.` },
  job_list: { limit: 'How many; 20 unless told.' },
  job_result: {
    job_id: `${JOB_ID} Without it: your jobs that are under way, and the latest.`,
    wait_seconds:
      'How long to wait for the end, in seconds: 25 unless told. It comes at once when the job is over.',
  },
  read_result: { max_chars: 'How long the piece may be; as long as fits unless told.' },
  apilookup: {
    prompt: 'The library or API, the language, your version, and what you want to do.',
    model: MODEL,
    thinking_mode: THINKING,
    continuation_id: CONTINUATION,
  },
  chat: CHAT,
  consensus: {
    prompt:
      'What all of them are asked; needed, unless step has it. They see nothing of your own conversation.',
    models:
      'Two to eight: names, or objects with a stance and, in stance_prompt, how it is to be taken. One may stand twice with two stances. A name that means no model is an error before anybody is asked. Absent: three strong ones, of different providers as far as there are.',
    rounds: '2: each sees what the others said, without names, and may change its mind.',
    quorum: 'How many must answer to speak of a consensus; more than half unless told.',
    per_model_seconds:
      'How long each is waited for in a round; who takes longer is missing, and the others count.',
    files: FILES,
    relevant_files: 'Paths, as in files; all that are asked see their contents.',
    images: 'Data URLs or https addresses of pictures.',
    use_websearch: SEARCH,
    temperature: TEMPERATURE,
    max_cost_usd: 'In dollars, for all of them and both rounds together; each has an equal share.',
    continuation_id:
      'Of an earlier answer, of any tool: all of them see what was said then. It lives through restarts.',
    step: 'Taken as prompt where that is missing.',
    step_number: IGNORED,
    total_steps: IGNORED,
    next_step_required: 'Ignored: one call does all of it.',
    findings: 'Ignored: nobody is to be swayed by your own view.',
  },
  planner: {
    step: 'The text of this step; in the first, what is planned.',
    step_number: 'From 1, without a gap, revisions and branches counted; step 1 begins a new plan.',
    total_steps: 'A guess, which may grow and shrink from step to step.',
    next_step_required: 'false: the plan is complete, and told whole.',
    is_step_revision: 'true: this step takes the place of the text of an earlier one.',
    revises_step_number: 'Which one; needed with is_step_revision.',
    is_branch_point: 'true: this step begins a branch, another way to go.',
    branch_from_step: 'The step at which a new branch leaves; needed to begin one.',
    branch_id: 'The name of the branch that this step begins or goes on with.',
    more_steps_needed: 'true: another step follows, also beyond total_steps.',
    continuation_id: 'Needed from step 2 on: the id that step 1 was answered with.',
    use_assistant_model: 'Ignored: no model is asked.',
    model: 'Ignored: no model is asked.',
  },
  challenge: { prompt: 'What was said, in its own words and without your view of it.' },
  glm_payload_preview: {
    prompt: 'What would be asked.',
    model: 'A model of GLM; that of GLM_SPEED_MODEL unless told.',
    use_websearch: 'Whether the request has GLM search the web.',
    temperature: TEMPERATURE,
  },
  kimi_intent_analysis: { prompt: 'The request to be understood; nobody answers it.' },
  threads: {
    action: 'What to do; the other arguments name the action that they are for.',
    limit: 'list, show, search: how many at most.',
  },
  tool_help: { tool: 'Its name. Without it: every tool in a line.' },
  analyze: {
    ...EXPERT,
    analysis_type: 'What to look for.',
    output_format: 'How the expert answers: briefly, in full, or only what can be acted on.',
  },
  codereview: {
    ...EXPERT,
    review_type: 'What to look for; quick: only what is plainly wrong.',
    standards: 'Rules that the code has to keep.',
    review_validation_type: 'internal: no expert is asked.',
  },
  debug: EXPERT,
  docgen: {
    ...ALONE,
    document_complexity: 'Whether to say what algorithms cost.',
    document_flow: 'Whether to say who calls what.',
    update_existing: 'Whether to correct comments that are there.',
    comments_on_complex_logic: 'Whether to comment inside functions.',
    num_files_documented: 'How many are finished.',
    total_files_to_document: 'How many there are: it cannot end before both numbers are the same.',
  },
  precommit: {
    ...EXPERT,
    path: 'A folder of the repository; the first that the client works in unless told.',
    compare_to: 'A branch, tag or commit, in place of staged and unstaged changes.',
    include_staged: 'Whether staged changes count.',
    include_unstaged: 'Whether unstaged changes count.',
    precommit_type: 'internal: no expert is asked.',
  },
  refactor: {
    ...EXPERT,
    refactor_type: 'What to look for.',
    style_guide_examples: `Paths ${FOLDERS}: files with the style to keep; the expert reads them.`,
  },
  secaudit: {
    ...EXPERT,
    security_scope: 'What it is, who uses it, and what would be worth stealing.',
    threat_level: 'What attackers are to be expected.',
    compliance_requirements: 'Such as GDPR or PCI DSS.',
    audit_focus: 'What to look for.',
  },
  testgen: EXPERT,
  thinkdeep: { ...EXPERT, problem_context: 'The background that the expert should know.' },
  tracer: {
    ...ALONE,
    target_description: 'What is to be traced, and why.',
    trace_mode:
      'precision: the calls of a function; dependencies: the ties of a module; ask: you are told how to choose.',
  },
};

/** Undefined if the schema's description is enough. */
export function argumentHelp(tool: string, argument: string): string | undefined {
  const words = Object.hasOwn(ARGUMENT_HELP, tool) ? ARGUMENT_HELP[tool] : undefined;
  return words && Object.hasOwn(words, argument) ? words[argument] : undefined;
}
