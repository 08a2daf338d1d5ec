/**
 * What arguments mean beyond the few words of a schema: every word there is sent with every question, these only to who asks.
 * One meaning everywhere, so one sentence for all tools that have the argument.
 */
export const ARGUMENT_WORDS: Readonly<Record<string, string>> = {
  prompt:
    'All that the model is to know stands here or in files: it sees nothing of your own conversation.',
  files:
    'Paths under the folders that the client works in (a folder stands for the texts in it), or {name, text}. Those of earlier calls of the conversation are read again.',
  images: 'A model that sees is chosen when there are pictures.',
  model:
    'A name beats the rules; another model answers only when it fails, and the envelope says so.',
  use_websearch: 'The provider searches by itself, and sources stand under the answer.',
  thinking_mode:
    'More thought takes longer and costs more; models that cannot think ignore it with a notice.',
  temperature: 'Left out for models that set it themselves, with a notice.',
  max_cost_usd: 'The call fails before it is sent when it could cost more.',
  continuation_id:
    'From the envelope of an earlier call, of any tool: the model sees what was said then. It lives through restarts.',
  step: 'In the first step also what is asked: the expert reads it as the request.',
  step_number: 'Steps follow each other without a gap; to do one again say backtrack_from_step.',
  total_steps: 'A guess; it may grow and shrink from step to step.',
  next_step_required:
    'false ends the work: what was found is put together and, as a rule, an expert looks at it.',
  findings: 'Evidence, also what speaks against the hypothesis. Steps add up: say what is new.',
  relevant_files:
    'Their contents go to the expert, read at that moment, under the folders that the client works in.',
  issues_found:
    'As data: severity critical, high, medium or low, with file, line and fix where known.',
  confidence: 'The highest word means that no second opinion is needed, and no expert is asked.',
  backtrack_from_step: 'Drops that step and all after it; this call takes its place.',
  depth: 'quick may end after one step; deep asks for more evidence before it ends.',
  use_assistant_model: 'false: what you found is put together, and no model is asked.',
  compare_to: 'A branch, tag or commit; in place of staged and unstaged changes.',
  models:
    'Each with an optional stance (for, against, neutral); absent: strong models of different providers.',
};
