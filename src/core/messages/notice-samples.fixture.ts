import { ROUTING_NOTICE_SAMPLES } from './routing-notice-samples.fixture.ts';
import { reason } from './reasons.ts';
import type { NoticeCode, NoticeParams } from './notices.ts';

const model = 'Kimi K3';
const error = { message: 'The disk is full.' };
const limits = {
  fileBytes: 2_000_000,
  totalBytes: 20_000_000,
  texts: 500,
  openedFiles: 2_000,
  folderDepth: 20,
};
const group = (reason: NoticeParams['files_left_out']['groups'][number]['reason']) => ({
  reason,
  count: 2,
  names: ['a.ts'],
});

/**
 * Parameters for every code, so that a test can render each; the compiler asks for those of a new
 * code.
 */
export const NOTICE_SAMPLES: {
  readonly [Code in NoticeCode]: readonly [NoticeParams[Code], ...NoticeParams[Code][]];
} = {
  text: [{ text: 'The provider said so.' }],
  ...ROUTING_NOTICE_SAMPLES,

  picture_scaled: [
    {
      picture: 1,
      provider: 'GLM',
      from: '8000 x 8000',
      to: '6000 x 6000',
      type: 'JPEG',
      takes: 'pictures as JPEG or PNG',
    },
    { picture: 2, provider: 'GLM', type: 'PNG', takes: 'pictures as JPEG or PNG' },
  ],
  about_file: [
    {
      file: 'report.pdf',
      about: {
        code: 'document_type_corrected',
        params: { declared: 'image/png', actual: 'application/pdf' },
      },
    },
  ],
  file_empty: [{ file: 'notes.txt' }],
  index_empty: [{}],
  embeddings_failed: [{ error }, { error, fix: 'Install it.' }],
  file_not_indexed: [{ file: 'photo.png' }, { file: 'a.pdf', error }],
  files_searched: [{ files: 300, passages: 12_000, shown: 40, shownFiles: 25 }],
  earlier_media_left_out: [{ count: 1 }, { count: 3 }],
  earlier_media_not_seen: [
    { count: 1, model: 'glm-4.6' },
    { count: 3, model: 'glm-4.6' },
  ],
  file_secrets_found: [{ file: 'deploy.sh', findings: [{ title: 'AWS access key', line: 3 }] }],
  document_type_corrected: [{ declared: 'application/pdf', actual: 'docx' }],
  document_pages_scanned: [
    { pages: [1, 2], total: 2 },
    { pages: [2], total: 9 },
    { pages: [1, 2, 3, 7], total: 9 },
  ],
  document_has_no_pages: [{}],
  document_encoding_guessed: [{ encoding: 'shift_jis' }],
  document_part_damaged: [{ part: 'sheet 2' }],
  document_parts_not_read: [{ parts: ['macros', 'report.zip'] }],
  document_hidden_parts: [{ parts: ['sheet "Costs"'] }],

  gateway_fields_ignored: [{ fields: ['fancy_mode'] }],
  gateway_tools_dropped: [{ types: ['image_generation', 'tool_search'] }],
  gateway_items_dropped: [{ types: ['web_search_call'] }],
  response_not_stored: [{ reason: 'too_large' }, { reason: 'failed' }],

  thinking_unsupported: [{ model }],
  thinking_stays_on: [{ model }, { model, effort: 'low' }],
  thinking_off_for_search: [{ model, provider: 'Kimi' }],
  thinking_off_for_tool: [{ model, provider: 'Kimi' }],
  effort_unsupported: [{ model }],
  effort_changed: [{ model, effort: 'medium', sent: 'high' }],
  reasoning_not_kept: [{ model }],
  parameter_dropped: [
    { model, parameters: ['topP'], reason: 'unsupported' },
    { model, parameters: ['temperature', 'topP', 'seed'], reason: 'unsupported' },
    { model, parameters: ['webSearch.count'], reason: 'fixed' },
    { model, parameters: ['topP'], reason: 'temperature_zero' },
    { model, parameters: ['userHash'], reason: 'too_short' },
    { model, parameters: ['webSearch.query', 'webSearch.domain'], reason: 'own_search' },
  ],
  parameter_clamped: [{ model, parameter: 'temperature', min: 0, max: 1, sent: 1 }],
  parameter_refused: [
    { model, parameter: 'seed', refused: 'parameter' },
    { model, parameter: 'seed', refused: 'value' },
  ],
  parameter_replaced: [
    { model, parameter: 'max_tokens', replacement: 'max_completion_tokens', sent: 'again' },
    { model, parameter: 'max_tokens', replacement: 'max_completion_tokens', sent: 'first' },
  ],
  format_in_prompt: [
    { model, format: 'json_schema', sent: 'again' },
    { model, format: 'json_object', sent: 'first' },
  ],
  max_tokens_lowered: [
    { model, limit: 100, requested: 200, reason: 'model' },
    { model, limit: 100, requested: 200, reason: 'window' },
    { model, limit: 100, requested: 200, reason: 'refused' },
  ],
  search_unsupported: [
    { model, reason: 'model' },
    { model, reason: 'continuation' },
    { model, reason: 'refused' },
  ],
  search_sources_hidden: [{ model }],
  search_sources_missing: [{ model }],
  search_results_dropped: [{ tokens: 9_000 }],
  search_rounds_used: [
    { model, rounds: 1 },
    { model, rounds: 3 },
  ],
  characters_replaced: [{}],
  tool_arguments_dropped: [{ calls: 1 }, { calls: 2 }],
  fallback_models_dropped: [{}],
  prompt_cut_possible: [{ model, tokens: 9_000 }],
  prompt_cut: [{ model, readTokens: 4_096, sentTokens: 9_000 }],
  asked_again: [
    { model, reason: 'only_thinking' },
    { model, reason: 'schema', path: '/a', problem: 'must be a number' },
    { model, reason: 'no_tool_call' },
    { model, reason: 'no_tool_call', tool: 'look' },
  ],
  limit_spent_on_thinking: [{ model, limit: 100 }],
  window_full: [{ model }],
  tool_call_cut: [{ model, tool: 'look' }],
  tool_arguments_invalid: [{ model, tool: 'look' }],
  finish_reason_unknown: [{ model, reason: 'bored' }],
  piece_unreadable: [{ model }],
  pattern_unchecked: [{ path: '/a', problem: 'is too large' }],

  model_retired: [
    { model: 'kimi-k2', successor: 'kimi-k3' },
    { model: 'kimi-k2', successor: 'kimi-k3', reason: 'too old' },
    { model: 'kimi-k2', name: 'K2', successor: 'kimi-k3', until: '2026-05-25' },
  ],
  role_model_unknown: [
    { setting: 'models.vision', name: 'glm-9' },
    { setting: 'models.vision', name: 'glm-5.33', nearest: 'glm-5.3' },
  ],
  provider_models_excluded: [
    { provider: 'kimi', settings: ['models.allow.kimi'] },
    { provider: 'kimi', settings: ['models.allow.kimi', 'models.deny.kimi'] },
  ],
  listing_empty: [{ provider: 'glm' }],
  listing_names_invalid: [{ provider: 'glm', count: 3 }],
  listing_cut: [{ provider: 'glm', count: 5_000, limit: 2_000 }],
  model_lists_damaged: [{}, { path: '0.id' }],

  files_left_out: [
    { groups: [{ reason: 'secret', count: 1, names: ['.env'] }], limits },
    {
      folder: 'src',
      groups: [
        group('hidden'),
        group('skipped'),
        group('ignored'),
        group('links'),
        group('special'),
        group('private'),
        group('secret'),
        group('no_text'),
        group('too_large'),
        group('full'),
        group('too_many'),
        group('too_deep'),
        group('unread'),
        group('nested'),
      ],
      limits,
    },
    {
      folder: 'docs',
      groups: [group('full'), group('too_many')],
      limits: {
        fileBytes: 2_000_000,
        totalBytes: 24_000_000,
        mediaBytes: 48_000_000,
        openedFiles: 1_000,
        folderDepth: 20,
      },
    },
  ],
  folder_cut: [{ limit: 20_000 }, { folder: 'src', limit: 20_000 }],
  file_not_read: [{ path: 'a.ts', error }],
  file_path_relative: [{ path: 'a.ts' }],
  earlier_file_lost: [{ path: 'a.ts', error }],
  earlier_files_left_out: [{ count: 1 }, { count: 3 }],
  expert_files_left_out: [{ count: 700, total: 1_000 }],
  changes_outside_roots: [{}],
  changes_since_merge_base: [{ name: '"main"', commit: '0123456789ab' }],
  changed_files_cut: [{ changes: 'staged changes', limit: 5_000 }],
  diff_left_out: [{ changes: 'staged changes' }],
  diff_cut: [
    { changes: 'staged changes', bytes: 7_000_000, leftOutBytes: 2_000_000, measured: 'all' },
    { changes: 'staged changes', bytes: 7_100_000, leftOutBytes: 250_000, measured: 'at_least' },
  ],
  diff_not_utf8: [{ changes: 'staged changes' }],
  untracked_files_cut: [{ limit: 5_000 }],
  untracked_files_left_out: [{ count: 3, limitFiles: 500, limitBytes: 5_000_000 }],
  filters_not_run: [{ count: 3, file: '.gitattributes' }],
  no_changes: [{}],
  no_changes_requested: [{}],

  env_file_readable: [{ file: '/home/ann/.exai/.env' }],
  variable_repeated: [{ file: '.env', variable: 'A', lines: [1, 3] }],
  secret_readable: [{ setting: 'token', place: 'config.json:1:11', instead: 'EXAI_TOKEN in .env' }],
  variables_differ: [{ used: 'ZHIPUAI_API_KEY', ignored: 'ZAI_API_KEY' }],
  variable_renamed: [
    { variable: 'EXAI_WS_PORT', current: 'EXAI_PORT' },
    {
      variable: 'EXAI_WS_PING_INTERVAL',
      current: 'EXAI_LISTENER_PING_INTERVAL_MS',
      unit: 'milliseconds',
    },
  ],
  setting_renamed: [
    {
      old: 'listener.origins',
      current: 'listener.origins',
      source: '/home/ann/.exai/config.json:3:5',
    },
    {
      old: 'EXAI_DOOR_ORIGINS',
      current: 'EXAI_LISTENER_ORIGINS',
      source: 'the environment',
    },
  ],
  variable_ignored: [
    { variable: 'EXAI_HOME', reason: 'environment_only' },
    { variable: 'EXAI_WS_RESULT_TTL', reason: 'retired' },
    { variable: 'EXAI_X', reason: 'unknown' },
    { variable: 'EXAI_PROT', reason: 'unknown', nearest: 'EXAI_PORT' },
  ],
  variable_missing: [
    {
      setting: 'mcpServers.github.env',
      variable: 'GITHUB_TOKEN',
      place: '/home/ann/.exai/config.json:3:5',
    },
  ],
  setting_deprecated: [
    { setting: 'providers.kimi.explicitCache', reason: 'Kimi caches by itself', place: '.env:3' },
  ],
  notices_cut: [{ count: 19_980 }],
  setting_differs: [
    { variable: 'KIMI_API_KEY', state: 'stored', command: 'exai config reload' },
    {
      variable: 'KIMI_API_KEY',
      state: 'missing',
      command: 'exai keys add kimi',
    },
  ],
  token_generated: [{ file: '/home/ann/.exai/.env' }],
  port_taken: [
    { port: 8765, holder: 'python3 (pid 812)' },
    { port: 8765, holder: 'another EX-AI 0.2.0', by: 'exai' },
    { port: 8765, holder: 'python3', url: 'http://127.0.0.1:46179', fix: 'Stop that program' },
  ],
  clock_jumped: [
    {
      direction: 'ahead',
      trusted: '2026-01-01T00:00:00.000Z',
      now: '2036-01-01T00:00:00.000Z',
      hours: 72,
    },
    {
      direction: 'behind',
      trusted: '2026-01-01T00:00:00.000Z',
      now: '1970-01-01T00:00:00.000Z',
      hours: 1,
    },
  ],
  audit_rows_lost: [
    { fromSeq: 41, toSeq: 80, found: '2026-01-02T00:00:00.000Z', what: 'missing' },
    { fromSeq: 41, toSeq: 41, found: '2026-01-02T00:00:00.000Z', what: 'missing' },
    { fromSeq: 80, toSeq: 80, found: '2026-01-02T00:00:00.000Z', what: 'replaced' },
  ],
  restore_not_finished: [
    { backup: '/home/me/.exai/backups/a.db', begun: '2026-01-02T10:20:30.000Z' },
  ],
  store_damaged: [{ tables: [] }, { tables: ['turns'], backup: '/home/me/.exai/backups/a.db' }],
  client_data_kept: [{ client: 'ci' }, { client: 'ci', removedOn: '2026-01-01' }],
  client_data_restored: [{ principal: 'ci' }],

  answer_cut: [{}, { argument: 'max_output_tokens' }],
  panel_answer_cut: [{ model }],
  panel_answer_shortened: [
    { model, verdictChars: 10, points: 0 },
    { model, verdictChars: 10, points: 2 },
  ],
  second_round_skipped: [{ reason: 'one_answer' }, { reason: 'no_time' }],
  tool_loop_ended: [{ reason: reason('loop_rounds_used', { max: 8 }) }],
  tools_left_out: [
    { entry: 'github', offered: 24, total: 40, writing: 10 },
    { entry: 'github', offered: 24, total: 40, writing: 0 },
  ],
  conversation_not_kept: [
    { error },
    { error: { message: 'x', reason: reason('text', { text: 'the disk is full' }) } },
  ],
  nothing_to_quote: [{}],
  search_failed: [{ message: 'GLM is overloaded.' }],
  page_read_by_provider: [
    { provider: 'GLM' },
    { provider: 'GLM', because: 'a.example limits requests (HTTP 429).' },
  ],
  page_incomplete: [{}],
  page_empty: [{}],
  search_tool_failed: [
    { tool: 'mcp__brave__search', error: { message: 'brave did not answer in time.' } },
  ],
  search_results_outside: [{ count: 1 }, { count: 2 }],
  sources_not_found: [
    { marks: 1, links: 0 },
    { marks: 2, links: 1 },
    { marks: 0, links: 2 },
  ],
  citations_not_verified: [
    { count: 1, total: 1 },
    { count: 2, total: 5 },
  ],
  no_file_cited: [{}],
  files_not_mentioned: [
    { files: ['a.pdf'], more: 0 },
    { files: ['a.pdf', 'b.txt'], more: 3 },
  ],
  no_source: [{}],
  not_looked_up: [
    { model, searchProviders: 'some' },
    { model, searchProviders: 'none' },
    { model, searchProviders: 'none', fix: 'exai keys add glm' },
  ],
  expert_answer_cut: [{}],
  expert_answer_not_kept: [{ error }],
  expert_wants_secrets: [
    { files: ['.env'], more: 0 },
    { files: ['.env', 'id_rsa'], more: 3 },
  ],
  images_not_seen: [{}],
  not_read_again: [{ error }],
  subject_changed: [
    { argument: 'path', value: '"/b"' },
    { argument: 'path', first: '"/a"', value: '"/b"' },
  ],
  subject_elsewhere: [{ argument: 'path', first: '/a', value: '/b' }],
  tool_arguments_repeated: [{ tool: 'look' }],

  first_upload: [{ provider: 'Kimi' }],
  first_recognition: [{ provider: 'GLM' }],
  upload_purpose_changed: [{ provider: 'Kimi', given: 'assistants', used: 'file-extract' }],
  local_text_used: [{ file: 'a.pdf', provider: 'Kimi', error }],
  not_uploaded_again: [{ file: 'a.pdf', provider: 'Kimi' }],
  uploads_limited: [{ provider: 'Kimi', max: 12 }],
  scan_not_read: [
    { file: 'a.pdf', pages: 0 },
    { file: 'a.pdf', pages: 1, error },
    { file: 'a.pdf', pages: 3, error },
  ],
  scan_read_by: [{ file: 'a.pdf', provider: 'GLM' }],
  files_to_upload: [
    { provider: 'Kimi', files: 1, megabytes: 0.1, as: 'upload' },
    { provider: 'GLM', files: 2, megabytes: 3, as: 'ocr' },
  ],
};
