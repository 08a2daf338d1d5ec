import { fix } from './fixes.ts';
import { reason, type ReasonCode, type ReasonParams } from './reasons.ts';

const PLAIN = reason('plain_question');
const SPENDING = reason('spent_today', {
  client: 'laptop',
  spentMicroUsd: 420_000,
  limitMicroUsd: 500_000,
  setting: 'budget.clientDailyUsd',
});
const MODELS = [
  {
    models: [
      { provider: 'kimi', model: 'kimi-k3' },
      { provider: 'custom', model: 'default' },
    ],
    reason: reason('no_key', { provider: 'kimi' }),
  },
] as const;
const USE = { scope: 'read:*', client: 'ide', agent: 'critic', tool: 'chat' } as const;
const FAILURE = {
  class: 'timeout',
  provider: 'kimi',
  model: 'kimi-k3',
  times: 2,
  message: 'No first token within 30 seconds.',
} as const;
const OTHER = { provider: 'glm', model: 'glm-5.3' } as const;
const FAILED = { provider: 'kimi', model: 'kimi-k3', class: 'timeout' } as const;

/**
 * Parameters of each code, at least one set; those that change the shape of the sentence have more.
 */
export const REASON_SAMPLES: {
  readonly [Code in ReasonCode]: readonly [ReasonParams[Code], ...ReasonParams[Code][]];
} = {
  text: [{ text: 'the vendor says so' }],

  invalid_argument: [
    { argument: 'max_cost_usd', problem: 'must be 0 or more, but is -1' },
    { argument: 'source', problem: 'must be one of a, b, did you mean "a"?', others: 2 },
  ],
  thread_unsupported: [{}],
  invalid_field: [{ field: 'tools', problem: 'must be a list' }],
  missing_arguments: [
    { arguments: ['step'] },
    { arguments: ['step', 'findings'], unnamed: 3, others: 1 },
    { arguments: ['id'], neededBy: 'show' },
  ],
  unknown_argument: [
    { tool: 'chat', argument: 'promt', meant: 'prompt' },
    { tool: 'chat', argument: 'x', others: 1 },
  ],
  unknown_member: [{ argument: 'options', member: 'dept', meant: 'depth', others: 1 }],
  misspelt_argument: [{ argument: 'promt', meant: 'prompt' }],
  invalid_id: [
    { argument: 'continuation_id', kind: 'conversation' },
    { argument: 'job_id', kind: 'job', given: 'x' },
    { argument: 'id', kind: 'result', given: 'job_1' },
  ],
  home_in_use: [
    { home: '/home/me/.exai' },
    { home: '/home/me/.exai', daemon: { pid: 7, address: 'http://127.0.0.1:8765' } },
  ],
  damaged_database: [{ file: '/home/me/.exai/data/exai.db' }],
  document_without_text: [{ file: 'a.pdf' }, { file: 'a.pdf', message: 'The key is wrong.' }],
  text_not_extracted: [{ provider: 'Kimi' }],
  system_failure: [{ what: 'Permission denied' }, { what: 'Permission denied', path: '/x' }],

  unknown_conversation: [
    { id: 'conv_1' },
    { id: 'conv_1', begun: '2026-01-31' },
    { id: 'conv_1', begun: '2026-01-31', keptDays: 30 },
  ],
  unknown_job: [{ id: 'job_1' }, { id: 'job_1', expired: { ageS: 3_542_400, keptDays: 30 } }],
  unknown_result: [{ id: 'res_1' }],
  file_outside_roots: [
    { path: '../x', roots: ['/project'] },
    { path: '/x', roots: ['/a', '/b'], more: 3 },
  ],
  missing_file: [{ path: 'a.ts' }, { path: 'src/a.ts', folder: 'src', meant: 'source' }],

  scope_covers_all: [{}],
  scope_invalid: [{ scope: 're ad' }],
  scope_denies: [USE],
  scope_allows: [USE],
  scope_asks: [USE],
  scope_reads: [USE],
  scope_only_reads: [USE],
  scope_only_free: [USE],
  no_scope: [{ client: 'ide', tool: 'chat' }],
  used_tool_off: [{ tool: 'chat' }],
  unknown_tool: [
    { tool: 'chatt', hint: ', did you mean "chat"?' },
    { tool: 'x', hint: '' },
  ],
  needs_no_scope: [{ client: 'ide', tool: 'call_tool' }],
  reaches_nothing: [{ client: 'ide', tool: 'call_tool_write' }],
  tool_not_reading: [{ tool: 'threads', wrapper: 'call_tool' }],
  wrapper_in_wrapper: [{ wrapper: 'call_tool', tool: 'call_tool_write' }],
  token_revoked: [{ client: 'ide' }],
  tool_forbidden: [{ tool: 'chat', reasons: [reason('no_scope', USE)] }],
  tool_needs_consent: [{ tool: 'chat', reasons: [reason('scope_asks', USE)] }],

  breaker_open: (['window', 'row', 'probe', 'at_once'] as const).flatMap((how) =>
    (['resting', 'probing', 'probe_next'] as const).map((state) => ({
      key: 'kimi/kimi-k3',
      how,
      classes: ['rate_limit', 'timeout'] as const,
      failures: 5,
      calls: 6,
      windowMs: 30_000,
      state,
      retryInMs: 240_000,
    })),
  ) as unknown as readonly [ReasonParams['breaker_open']],
  breaker_changed: [
    { key: 'kimi', to: 'closed' },
    { key: 'kimi', to: 'half_open' },
    { key: 'kimi', to: 'forgotten' },
  ],

  spent_today: [
    SPENDING.params as ReasonParams['spent_today'],
    { spentMicroUsd: 0, limitMicroUsd: 1, setting: 'budget.dailyUsd' },
  ],
  shared_budget: [{ state: 'used_up' }, { state: 'left' }],
  budget_used_up: [{ spending: SPENDING }, { spending: SPENDING, resetsOn: '2026-02-01' }],
  budget_reserved: [{ spending: SPENDING }],
  budget_reserved_by_others: [{}],
  model_costs_money: [{ spending: SPENDING }],
  price_unknown: [{}],
  price_too_high: [
    { maxMicroUsd: 10, limitMicroUsd: 5 },
    { maxMicroUsd: 10, limitMicroUsd: 0 },
  ],
  no_model_within_price: [
    { limitMicroUsd: 5, models: MODELS },
    { limitMicroUsd: 0, models: [] },
  ],
  price_above_rest: [{ model: 'kimi-k3' }],

  question_too_long: [{ tokens: 9000, roomTokens: 100 }],
  question_too_long_for_all: [{ models: MODELS }],
  request_too_long: [
    { tokens: 9000, roomTokens: 100 },
    { tokens: 9000, roomTokens: 100, model: 'kimi-k3', why: reason('no_summary_model') },
  ],
  no_summary_model: [{}],
  not_summarised: [{ message: 'Too slow.' }],
  summary_empty: [{ name: 'a.md' }],
  too_long_to_summarise: [{ name: 'a.md', tokens: 9000, maxTokens: 100 }],

  model_switched_off: [{}],
  no_key: [{ provider: 'glm' }],
  provider_offline: [{}],
  offline: [{ host: 'api.z.ai' }],
  no_address: [{ provider: 'custom', fix: 'set CUSTOM_API_URL' }],
  provider_not_set_up: [{}],
  model_denied: [{ setting: 'models.deny.glm', pattern: '*-flash' }],
  model_not_allowed: [{ setting: 'models.allow.glm' }],
  model_forbidden: [{ model: 'glm-5.3', reason: reason('model_switched_off') }],
  model_unlisted: [{ since: '2026-01-30' }],
  model_resting: [{}],
  media_unsupported: [{ media: 'image' }, { media: 'video' }, { media: 'document' }],
  media_limited: [{ takes: 'pictures as JPEG' }],
  tools_unsupported: [{}],
  too_many_tools: [{ max: 128, given: 500 }],
  quotation_unsuitable: [{ lacks: 'tools' }, { lacks: 'json' }, { lacks: 'vision' }],
  quotation_unwanted: [{ by: 'caller' }, { by: 'setting' }],
  no_provider: [{ provider: 'glm' }],
  named_model_unable: [
    { model: 'kimi-k3', fallback: 'none', reason: reason('tools_unsupported') },
    { model: 'kimi-k3', fallback: 'chain', reason: reason('tools_unsupported') },
  ],
  no_provider_set_up: [{}],
  no_model_on_machine: [{}],
  no_model_usable: [{ models: MODELS }, { models: [] }],
  all_models_resting: [{ models: MODELS }],
  no_model_calls_tools: [{ models: MODELS }],
  no_model_takes_media: [
    { media: 'image', models: MODELS },
    { media: 'video', models: [] },
    { media: 'document', models: [] },
  ],
  unknown_model: [
    { model: 'gpt-4o' },
    { model: 'kimi-k99', setting: 'models.default', nearest: 'kimi-k3' },
    { model: 'kimi-k99', writtenAs: 'gpt-4o' },
  ],
  unknown_embedding_model: [{ model: 'x' }, { model: 'x', writtenAs: 'y' }],
  no_embeddings_of_model: [{ model: 'kimi-k3' }],
  embedding_model_unable: [{ model: 'embedding-3', reason: PLAIN }],
  no_embedding_model: [{}, { model: 'embedding-3', reason: PLAIN }],

  rule_chose: [
    { applies: PLAIN, choice: reason('model_answers', {}), passedOver: MODELS },
    { applies: PLAIN, choice: reason('model_answers', {}), passedOver: [] },
  ],
  rule_without_model: [
    { applies: PLAIN, models: MODELS },
    { applies: PLAIN, models: [] },
  ],
  other_model_forbidden: [{}],
  chosen_by_rule: [{ number: 12, rule: 'simple-tool', reason: PLAIN }],
  rule_found_no_model: [{ number: 3, rule: 'kimi-tool', reason: PLAIN }],
  classified: [{ class: 'chat', confidence: 0.8, reason: PLAIN }],
  classifier_asked: [
    { class: 'web', confidence: 0.9, searches: true },
    { model: 'glm-4.7-flash', class: 'chat', confidence: 0.9, searches: false },
  ],
  next_in_chain: [
    { class: 'chat', link: 'glmSpeed' },
    { class: 'chat', link: 'custom' },
    { class: 'chat', link: 'openrouter' },
  ],
  other_model_of_role: [{ role: 'vision' }],
  quotation_last: [{}],
  recovering: [{}],
  cool_down_ignored: [{}],
  context_shortened: [{}],
  without_search: [{}],
  left_out: [{ provider: 'custom', model: 'default', reason: PLAIN }],
  embeddings_by_own_server: [{}],
  first_embedding_model: [{ model: 'embedding-3' }],

  prompt_tokens: [{ tokens: 130_000 }],
  about_files: [
    { files: 1, documents: 1, scans: 0 },
    { files: 3, documents: 0, scans: 0 },
    { files: 3, documents: 0, scans: 1 },
    { files: 3, documents: 0, scans: 2 },
    { files: 0, documents: 2, scans: 0 },
  ],
  has_media: [{}],
  search_requested: [{}],
  asks_for_news: [{ words: 'latest' }],
  tools_given: [{ tools: 1 }, { tools: 2 }],
  agent_request: [{}],
  thorough_tool: [{ tool: 'debug' }],
  has_code: [{}],
  plain_question: [{}],
  may_ask_for_news: [{ reason: PLAIN, words: 'today' }],
  classified_by_model: [{ class: 'web' }],
  class_without_content: [{ class: 'vision' }],
  no_model_named: [{}],
  default_model: [{ model: 'kimi-k3' }],
  name_mapped: [{ writtenAs: 'gpt-4o', model: 'auto' }],
  model_requested: [{ model: 'kimi-k3' }],
  panel_member: [{ model: 'kimi-k3' }],
  thread_model: [{ model: 'kimi-k3' }],
  no_thread_model: [{}],
  kimi_tool: [{ tool: 'kimi_upload' }],
  not_kimi_tool: [{}],
  not_about_files: [{}],
  no_media: [{}],
  not_chat_tool: [{ tool: 'debug' }],
  no_news_requested: [{}],
  no_tools_given: [{}],
  deep_tool: [{ tool: 'thinkdeep' }],
  not_deep_tool: [{}],
  not_workflow_tool: [{}],
  more_steps_follow: [{}],
  depth_is_deep: [{}],
  step_unknown: [{}],
  last_step: [{}],
  analyze_after_first_step: [{}],
  decisive_step: [{ tool: 'debug', reason: reason('last_step') }],
  early_step: [{ tool: 'debug' }],
  simple_tool: [{ tool: 'chat' }],
  not_simple_tool: [{}],
  selection_off: [{}],
  tool_category: [
    { tool: 'gateway_chat', category: 'balanced', reason: reason('has_code') },
    { tool: 'chat', category: 'fast_response' },
    { tool: 'chat', category: 'extended_reasoning' },
  ],
  cjk_share: [{ percent: 40 }],
  preference: [{ prefer: 'speed' }],
  no_preference: [{}],
  no_rule_before: [{}],
  model_answers: [{}, { model: 'kimi-k3' }],
  thread_continues: [{}],
  role_answers: [
    { role: 'glmSpeed', model: 'glm-4.7-flash' },
    { role: 'glmSpeed', model: 'glm-4.7-flash', why: reason('costs_less') },
  ],
  answers_with_search: [{ model: 'glm-5.3' }],
  own_server_answers: [{}],
  provider_answers: [{ provider: 'openrouter' }, { provider: 'of-tomorrow' }],
  input_quoted: [{}],
  kimi_unavailable: [{}],
  kimi_recovering: [{}],
  speed_preferred: [{}],
  costs_less: [{}],
  kimi_slow: [{ firstTokenMs: 12_000 }],
  window_holds_all: [{}],
  window_holds_more: [{}],
  thread_with_kimi: [{}],

  passed_over: [
    { class: 'breaker_open', message: 'It is resting.' },
    { class: 'budget', ...OTHER, message: 'Too dear.', reason: reason('price_unknown') },
  ],
  attempt_failed: [
    FAILED,
    { ...FAILED, next: 'again' },
    { ...FAILED, class: 'over_capacity', limit: { message: 'Too many calls.' }, next: OTHER },
  ],
  asking_next: [
    { ...FAILED, next: 'again' },
    { ...FAILED, next: OTHER },
  ],
  answer_interrupted: [
    { where: 'tool_call', continuing: 'failed', failures: [FAILURE] },
    { where: { characters: 12 }, continuing: 'unwanted', failures: [] },
  ],
  deadline_passed: [{ failures: [FAILURE] }],
  all_models_limited: [{ failures: [FAILURE] }],
  vendor_calls_used_up: [{ max: 12 }, { max: 1 }],
  no_model_answered: [
    { failures: [FAILURE, { class: 'budget', times: 1, message: 'Spent.' }] },
    { failures: [FAILURE], vendorCalls: 12 },
  ],
  embeddings_not_substituted: [{ message: 'It is slow.' }],
  call_deadline_passed: [{}],
};

/** Of notices about errors. */
export const ERROR_SAMPLE = {
  class: 'not_configured',
  message: 'No provider is set up.',
  reason: reason('no_provider_set_up'),
  fixes: [fix('add_key', { provider: 'glm' })],
} as const;
