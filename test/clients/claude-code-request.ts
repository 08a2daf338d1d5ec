/**
 * What Claude Code 2.1.197 sends for one prompt, as it was recorded: every member, in its order,
 * with our own words in place of its texts and three of its 24 tools. After the first prompt comes
 * a message of the system, behind what is asked.
 */
export const CLAUDE_CODE_HEADERS: Readonly<Record<string, string>> = {
  accept: 'application/json',
  'user-agent': 'claude-cli/2.1.197 (external, sdk-cli)',
  'x-claude-code-session-id': '0e76363f-0000-4000-8000-000000000000',
  'x-stainless-lang': 'js',
  'x-stainless-package-version': '0.94.0',
  'x-stainless-retry-count': '0',
  'x-stainless-timeout': '600',
  'anthropic-beta':
    'claude-code-20250219,interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13,context-management-2025-06-27,prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07,effort-2025-11-24',
  'anthropic-dangerous-direct-browser-access': 'true',
  'anthropic-version': '2023-06-01',
  'x-app': 'cli',
};

export const CLAUDE_CODE_PATH = '/v1/messages?beta=true';

const SCHEMA = 'https://json-schema.org/draft/2020-12/schema';
const ephemeral = { type: 'ephemeral' };
const text = (words: string) => ({ type: 'text', text: words });

const TOOLS = [
  {
    name: 'Agent',
    description: 'Hands a task to another agent.',
    input_schema: {
      $schema: SCHEMA,
      type: 'object',
      properties: {
        prompt: { description: 'The task.', type: 'string' },
        model: { description: 'Which.', type: 'string', enum: ['sonnet', 'opus', 'haiku'] },
        run_in_background: { description: 'Whether to wait.', type: 'boolean' },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
  },
  {
    name: 'Read',
    description: 'Reads a file of this machine.',
    input_schema: {
      $schema: SCHEMA,
      type: 'object',
      properties: {
        file_path: { description: 'The path of the file.', type: 'string' },
        offset: { type: 'integer', minimum: 0, maximum: 9_007_199_254_740_991 },
        limit: { type: 'integer', exclusiveMinimum: 0, maximum: 9_007_199_254_740_991 },
      },
      required: ['file_path'],
      additionalProperties: false,
    },
  },
  {
    name: 'TaskUpdate',
    description: 'Changes a task.',
    input_schema: {
      $schema: SCHEMA,
      type: 'object',
      properties: {
        status: {
          anyOf: [
            { type: 'string', enum: ['pending', 'completed'] },
            { type: 'string', const: 'deleted' },
          ],
        },
        metadata: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
      },
      required: ['status'],
      additionalProperties: false,
    },
  },
];

/** `after`: the messages that followed the first prompt. */
export function claudeCodeRequest(model: string, prompt: string, after: readonly object[] = []) {
  return {
    model,
    messages: [
      {
        role: 'user',
        content: [
          text('<system-reminder>\nThe date is 2026-11-15.\n</system-reminder>\n\n'),
          { ...text(prompt), ...(after.length === 0 && { cache_control: ephemeral }) },
        ],
      },
      { role: 'system', content: 'Kinds of agents:\n- general: for everything.\n' },
      ...after,
    ],
    system: [
      text('x-anthropic-billing-header: cc_version=2.1.197; cc_entrypoint=sdk-cli;'),
      { ...text('You are an agent.'), cache_control: ephemeral },
      { ...text('\nYou help with the work of programmers.'), cache_control: ephemeral },
    ],
    tools: TOOLS,
    metadata: { user_id: '{"device_id":"0","account_uuid":"","session_id":"0"}' },
    max_tokens: 32_000,
    thinking: { type: 'adaptive' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'high' },
    stream: true,
  };
}
