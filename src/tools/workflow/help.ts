import { CONFIDENCES, type WorkflowDefinition } from './definition.ts';

/** What holds a workflow up, by its name: a definition says so only when it is run. */
const HOLDS: Readonly<Partial<Record<string, string>>> = {
  docgen:
    'documentation_analysis_required: it cannot end while num_files_documented and total_files_to_document differ. Document the next file and call again.',
  tracer:
    'mode_selection_required: trace_mode was ask. Do the step again with the one that required_actions helped you choose.',
};

/** What `tool_help` says of a way of working in steps. */
export function workflowHelp(definition: WorkflowDefinition): string {
  return [
    howWords(definition),
    ['Statuses:', ...statusLines(definition).map((line) => `- ${line}`)].join('\n'),
    backWords(definition),
  ].join('\n\n');
}

function howWords(definition: WorkflowDefinition): string {
  const { expert, name } = definition;
  const reads =
    definition.gather === undefined
      ? ''
      : name === 'precommit'
        ? ' The changes are read from git at the first step and again at the end.'
        : ' What its arguments name is read at the first step and again at the end.';
  const end =
    expert === 'asked'
      ? 'The last step (next_step_required false) hands all of it to an expert model.'
      : 'The last step (next_step_required false) puts all of it together; no model is asked.';
  const isOwn = Object.keys(definition.fields).length > 0;
  const lasting = isOwn
    ? ' What its own arguments said in one step holds for later steps that leave them out.'
    : '';
  return `How it works: you do the work, and call once for each step with what you did and found. Each answer says what to look at before the next.${lasting} ${end}${reads}`;
}

function statusLines(definition: WorkflowDefinition): readonly string[] {
  const { name, stem, expert } = definition;
  const held = definition.hold ? HOLDS[name] : undefined;
  return [
    `pause_for_${stem}: the step is kept. Do what required_actions says, then call as next_call shows.`,
    ...(held === undefined ? [] : [held]),
    ...(expert === 'asked' ? expertLines(definition) : [`${stem}_complete: the work is over.`]),
  ];
}

function expertLines(definition: WorkflowDefinition): readonly string[] {
  const { name, stem, ready, confidences = CONFIDENCES } = definition;
  const top = confidences.at(-1) ?? '';
  const own = definition.skips ? ', or its arguments asked for no expert' : '';
  return [
    'calling_expert_analysis: the expert has judged, and the work is over. expert_analysis has its summary, findings and next_steps; findings has yours and its own.',
    'files_required_to_continue (or another word of the expert for it): it cannot judge yet. mandatory_instructions and files_needed say what it lacks; next_call brings it.',
    `${ready}: the work is over without an expert, as the confidence was ${top}${own}.`,
    `${stem}_complete: the same, as use_assistant_model was false.`,
    `local_work_complete: the same, as there was nothing that an expert could judge${name === 'precommit' ? ', such as no changes' : ''}.`,
    'analysis_partial, analysis_timeout, analysis_error: the expert did not finish its answer. The call itself succeeded: every step is kept, expert_analysis says what happened and holds what had come, and next_call asks again.',
  ];
}

function backWords({ name, stem, expert }: WorkflowDefinition): string {
  const findings = expert === 'asked' ? 'findings' : 'findings (what you gave as issues_found)';
  return `What comes back: content with status, step_number, total_steps, next_step_required and next_steps; while it goes on required_actions, ${stem}_status and next_call; at the end ${findings} and complete_${name}. next_call is the next call, to be filled in where it has words in angle brackets. continuation_id belongs to every step after the first; a step that is refused (validation, conflict) keeps nothing.`;
}
