import type { FixKind, FixParams } from './fixes.ts';

/**
 * Parameters for every kind, so that a test can render each; the compiler asks for those of a new
 * kind.
 */
export const FIX_SAMPLES: {
  readonly [Kind in FixKind]: readonly [FixParams[Kind], ...FixParams[Kind][]];
} = {
  advice: [{ text: 'Do it.' }],
  run_command: [{ command: 'git init' }, { command: 'git init', purpose: 'make it one' }],

  set_argument: [{ argument: 'use_websearch', value: true }, { argument: 'model' }],
  lower_argument: [{ argument: 'max_cost_usd' }],
  raise_argument: [{ argument: 'max_cost_usd' }],
  omit_argument: [{ argument: 'fallback', value: 'none' }, { argument: 'files' }],

  set_setting: [
    { setting: 'EXAI_HOME', value: 'another folder' },
    { setting: 'network.caFile', variable: 'EXAI_CA_FILE' },
  ],
  raise_setting: [{ settings: ['budget.dailyUsd', 'budget.clientDailyUsd'] }],
  extend_setting: [
    { setting: 'allowedDirs', entry: 'a folder' },
    { setting: 'listener.origins', entry: 'it', condition: 'if you trust it' },
  ],
  unset_setting: [{ setting: 'EXAI_TOKEN' }],
  correct_setting: [{ setting: 'EXAI_PORT' }],

  add_key: [{ provider: 'glm' }, {}, { provider: 'glm', others: ['kimi', 'openrouter'] }],
  test_key: [{ provider: 'kimi' }, {}],
  top_up: [{ provider: 'Kimi' }, { provider: 'Kimi', key: 'kimi' }],
  run_doctor: [{}],
  explain_access: [
    { tool: 'chat' },
    { tool: 'chat', client: 'ide' },
    { tool: 'chat', agent: 'critic' },
  ],
  restore_backup: [{}, { file: '/backups/1.jsonl.gz' }],
  check_network: [{}],
  check_address: [
    { setting: 'CUSTOM_API_URL', address: 'http://127.0.0.1:1/v1' },
    { setting: 'GLM_API_URL', address: 'https://a.test', usual: 'https://api.z.ai' },
  ],

  list_models: [{}],
  refresh_models: [{}],
  use_other_model: [{}],

  list_tools: [{}, { kind: 'prompt' }],
  tool_help: [{ tool: 'debug' }],
  call_through: [{ wrapper: 'call_tool_write', tool: 'threads' }],
  preview_request: [{}],

  list_jobs: [{}],
  cancel_jobs: [{}],
  job_result: [{ id: 'job_1' }],
  read_result: [{ id: 'res_1' }, { id: 'res_1', offset: 60_000 }],

  new_conversation: [{}],
  list_conversations: [{}],
  fork_conversation: [{ id: 'conv_1', turn: 4 }],
  declare_root: [{}],

  send_less: [{}],
  wait: [{}],
  retry: [{}, { afterMs: 1500 }],
};
