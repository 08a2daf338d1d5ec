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
  'From an earlier result of any tool: the model sees that conversation. Survives restarts.';
const FOLDERS = 'under the folders that the client works in';
const FILES = `Paths ${FOLDERS} (a folder stands for the texts in it), or {name, text}; of two with one name the last counts. Paths of earlier calls of the conversation are read again.`;

const CHAT: ArgumentHelp = {
  prompt:
    'The question. Include all the context here or in files: the model does not see your conversation.',
  files: FILES,
  images:
    'Pictures and videos in any form of files, or http and https addresses; selects a vision model.',
  model: MODEL,
  use_websearch: SEARCH,
  thinking_mode: THINKING,
  temperature: TEMPERATURE,
  max_cost_usd:
    'In dollars; 0: only free models. Models that could cost more are not asked, and when none is left nothing is sent.',
  continuation_id: CONTINUATION,
};

const WRAPPED: ArgumentHelp = {
  name: 'As search_tools shows it.',
  arguments: 'Those of the tool itself, as an object; its JSON text is understood, too.',
};

const STEPS: ArgumentHelp = {
  step: 'What this step investigates; in the first step also the goal of the work.',
  step_number: 'From 1, without gaps. Step 1 starts over; backtrack_from_step repeats a step.',
  total_steps: 'An estimate that may change from step to step.',
  next_step_required: 'true: you continue investigating. false: the work ends with this step.',
  findings:
    'What is new in this step: evidence, also against the hypothesis. The steps before it are kept.',
  files_checked: 'Paths of all examined files, also those without findings.',
  relevant_context: 'Names of the functions and types that matter.',
  issues_found: 'Problems, as data. Steps accumulate: report each once.',
  hypothesis: 'Your current theory, to be confirmed or refuted.',
  backtrack_from_step:
    'The same number as step_number: discards that step and all after it; this call replaces it.',
  depth:
    'quick: the work ends as soon as the confidence is in the upper half of its scale. normal and deep: it ends when you say so.',
};

/** Arguments of workflows that end with an expert. */
const EXPERT: ArgumentHelp = {
  ...STEPS,
  next_step_required:
    'true: you continue investigating. false: the work ends with this step, and usually an expert model reviews it.',
  relevant_files: `Paths ${FOLDERS}. Their contents go to the expert, as they are at the end.`,
  confidence:
    'How sure you are. The last value means that no second opinion is needed: no expert is asked, and from step 2 on the work ends.',
  use_assistant_model: 'false: no expert; your findings are summarised at the end.',
  continuation_id:
    'Required from step 2 on: the id from the result of step 1. In step 1 the id of any earlier result: the expert sees that conversation.',
  model: `The expert model. ${MODEL}`,
  images:
    'Pictures in any form of files, or http and https addresses, with the last step: the expert sees them.',
  use_websearch: `For the expert. ${SEARCH}`,
  thinking_mode: `For the expert. ${THINKING}`,
  temperature: `For the expert. ${TEMPERATURE}`,
  max_cost_usd:
    'What the expert may cost, in dollars; 0: only free models. Models that could cost more are not asked.',
  focus_on: 'The main focus.',
  focus_areas: 'The main focus.',
  severity_filter: 'The lowest severity that the expert reports.',
};

/** Arguments of workflows without an expert. */
const ALONE: ArgumentHelp = {
  ...STEPS,
  relevant_files: 'Relevant paths, for the summary at the end; their contents are not read.',
  confidence: 'How sure you are. The last value ends the work from step 2 on.',
  use_assistant_model: 'Ignored: no model is asked.',
  continuation_id:
    'Required from step 2 on: the id from the result of step 1. In step 1 the id of any earlier result, whose conversation continues.',
  model: 'Ignored: no model is asked.',
};

const IGNORED = 'Ignored: sent by clients of older servers.';

const JOB_ID = 'The id from the call that became a job: job_ and 22 letters and digits.';

export const ARGUMENT_HELP: Readonly<Record<string, ArgumentHelp>> = {
  job_cancel: { job_id: `${JOB_ID} job_result without job_id lists yours.` },
  job_list: { limit: 'Maximum number of results (default: 20).' },
  job_result: {
    job_id: `${JOB_ID} Without it: your open and latest jobs.`,
    wait_seconds:
      'Seconds to wait for the end (default: 25). Returns immediately when the job has ended.',
  },
  read_result: { max_chars: 'Maximum length of the part (default: as much as fits).' },
  apilookup: {
    prompt: 'The library or API, the language, your version, and what you want to do.',
    model: MODEL,
    thinking_mode: THINKING,
    continuation_id: CONTINUATION,
  },
  chat: CHAT,
  consensus: {
    prompt:
      'The question for all models; required unless step has it. They do not see your conversation.',
    models:
      'Two to eight: names, or objects with a stance and, in stance_prompt, instructions for it. A model may appear twice with two stances. An unknown name is an error before any model is asked. Default: three strong models, of different providers where possible.',
    rounds: '2: each model sees the other answers, without names, and may change its own.',
    quorum: 'How many must answer for a consensus (default: more than half).',
    per_model_seconds: 'Time limit for each model and round; models that take longer are left out.',
    files: FILES,
    relevant_files: 'Paths, as in files; all models see their contents.',
    images: 'Pictures and videos in any form of files, or http and https addresses.',
    use_websearch: SEARCH,
    temperature: TEMPERATURE,
    max_cost_usd: 'In dollars, for all models and rounds together; each has an equal share.',
    continuation_id:
      'From an earlier result of any tool: all models see that conversation. Survives restarts.',
    step: 'Used as prompt if that is missing.',
    step_number: IGNORED,
    total_steps: IGNORED,
    next_step_required: 'Ignored: one call does all of it.',
    findings: 'Ignored, so that your view does not influence the models.',
  },
  planner: {
    step: 'The text of this step; in the first, what is planned.',
    step_number: 'From 1, without a gap, revisions and branches counted; step 1 begins a new plan.',
    total_steps: 'An estimate that may change from step to step.',
    next_step_required: 'false: the plan is complete and returned whole.',
    is_step_revision: 'true: this step replaces the text of an earlier one.',
    revises_step_number: 'Which one; needed with is_step_revision.',
    is_branch_point: 'true: this step starts a branch, an alternative approach.',
    branch_from_step: 'The step where a new branch starts; required for a new branch.',
    branch_id: 'The name of the branch that this step starts or continues.',
    more_steps_needed: 'true: another step follows, also beyond total_steps.',
    continuation_id: 'Required from step 2 on: the id from the result of step 1.',
    use_assistant_model: 'Ignored: no model is asked.',
    model: 'Ignored: no model is asked.',
  },
  challenge: { prompt: 'The statement, verbatim and without your opinion.' },
  glm_payload_preview: {
    prompt: 'What would be asked.',
    model: 'A GLM model (default: that of GLM_SPEED_MODEL).',
    use_websearch: 'Whether the request has GLM search the web.',
    temperature: TEMPERATURE,
  },
  kimi_intent_analysis: { prompt: 'The request to classify; it is not answered.' },
  threads: {
    action: 'What to do; the other arguments name the action that they are for.',
    limit: 'list, show, search: how many at most.',
  },
  search_tools: {
    query: 'What the tool is to do, in any words; or a name, for everything about that one tool.',
    queries:
      'One text for each thing to do, each searched by itself; the answer groups the tools by them. {"use_case": …, "known_fields": …} is understood, too: the names of the fields count, not their values.',
    servers: 'Only tools of these servers; exai: the built-in ones.',
    effect: 'Only tools that only read, or only those that change something.',
    schemas: 'Whether the input schema of each found tool is added.',
    limit: 'How many tools at most for each query (default: 8, for several queries 5).',
  },
  get_tool_schemas: { names: 'As search_tools shows them, up to 50.' },
  multi_execute_tool: {
    tools:
      'Up to 50 calls: {"name": …, "arguments": {…}}. Each has the rights and limits of a call by itself.',
    sequential:
      'true: one after the other, and none after the first that fails (default: all at once).',
  },
  manage_connections: {
    servers:
      'Names of servers, or of services whose accounts a server connects (default: all servers).',
    action: 'list: only show; connect: connect what is not connected (default for named servers).',
  },
  call_tool: WRAPPED,
  call_tool_write: WRAPPED,
  analyze: {
    ...EXPERT,
    analysis_type: 'What to look for.',
    output_format: 'How the expert answers: summary, details, or actionable items only.',
  },
  codereview: {
    ...EXPERT,
    review_type: 'What to look for; quick: only obvious errors.',
    standards: 'Rules that the code must follow.',
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
    path: 'A folder of the repository (default: the first working folder of the client).',
    compare_to: 'A branch, tag or commit, instead of staged and unstaged changes.',
    include_staged: 'Whether staged changes count.',
    include_unstaged: 'Whether unstaged changes count.',
    precommit_type: 'internal: no expert is asked.',
  },
  refactor: {
    ...EXPERT,
    refactor_type: 'What to look for.',
    style_guide_examples: `Paths ${FOLDERS}: examples of the required style; the expert reads them.`,
  },
  secaudit: {
    ...EXPERT,
    security_scope: 'What it is, who uses it, and what would be worth stealing.',
    threat_level: 'The expected attackers.',
    compliance_requirements: 'Such as GDPR or PCI DSS.',
    audit_focus: 'What to look for.',
  },
  testgen: EXPERT,
  thinkdeep: { ...EXPERT, problem_context: 'The background that the expert should know.' },
  tracer: {
    ...ALONE,
    target_description: 'What is to be traced, and why.',
    trace_mode:
      'precision: the calls of a function; dependencies: the dependencies of a module; ask: explains how to choose.',
  },
};

/** Undefined if the schema's description is enough. */
export function argumentHelp(tool: string, argument: string): string | undefined {
  const words = Object.hasOwn(ARGUMENT_HELP, tool) ? ARGUMENT_HELP[tool] : undefined;
  return words && Object.hasOwn(words, argument) ? words[argument] : undefined;
}
