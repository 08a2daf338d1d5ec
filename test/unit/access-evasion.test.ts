import { describe, expect } from 'vitest';
import { asAgent } from '#core/auth/as-agent.ts';
import type { CallRequest } from '#core/calls/calls.ts';
import type { JsonObject } from '#core/json/json.ts';
import { OWNER } from '../../src/calls/calls.fixture.ts';
import { verifies } from '../verifies.ts';
import { META, nameOf, setUpAgents } from './access-matrix.fixture.ts';

const RUBE_BATCH = 'in a batch of Rube with a prefix';
const COMPOSIO_BATCH = 'in a batch of Composio';
/** Ways in which a slug alone names the tool of Composio. */
const BY_SLUG: readonly string[] = [RUBE_BATCH, COMPOSIO_BATCH];

/** Ways to call a tool; `{name}` is its name and `{slug}` that at its server. */
const WAYS: readonly (readonly [
  way: string,
  tool: string,
  args: unknown,
  more?: Partial<CallRequest>,
])[] = [
  ['by name', '{name}', {}],
  ['with our prefix', 'mcp__exai__{name}', {}],
  ['with an old suffix', '{name}_EXAI_WS', {}],
  ['with another old suffix', '{name}-EXAI-WS', {}],
  ['by its slug', '{slug}', {}],
  ['in small letters', '{lower}', {}],
  ['with a space', '{name} ', {}],
  ['with an invisible character', '{name}\u200b', {}],
  ['through call_tool', 'call_tool', { name: '{name}', arguments: {} }],
  ['through call_tool_write', 'call_tool_write', { name: '{name}', arguments: {} }],
  ['through its alias', 'mcp__exai__call_tool_write_EXAI_WS', { tool_slug: '{name}', params: {} }],
  ['with arguments as text', 'call_tool_write', { tool: '{name}', args: '{}' }],
  [
    'through a wrapper in a wrapper',
    'call_tool_write',
    { name: 'call_tool_write', arguments: { name: '{name}' } },
  ],
  ['in a batch', 'multi_execute_tool', { tools: [{ name: '{name}' }] }],
  ['in a batch of Rube', 'RUBE_MULTI_EXECUTE_TOOL', { tools: [{ tool_slug: '{name}' }] }],
  [RUBE_BATCH, 'mcp__rube__RUBE_MULTI_EXECUTE_TOOL', { tools: [{ slug: '{slug}', params: {} }] }],
  [COMPOSIO_BATCH, META, { tools: [{ slug: '{slug}' }, { slug: '{name}' }] }],
  [
    'in a batch in a wrapper',
    'call_tool_write',
    { name: 'multi_execute_tool', arguments: { tools: [{ name: '{name}' }] } },
  ],
  [
    'in a batch in a batch',
    'multi_execute_tool',
    { tools: [{ name: 'multi_execute_tool', arguments: { tools: [{ name: '{name}' }] } }] },
  ],
  [
    'through a wrapper in a batch',
    'multi_execute_tool',
    { tools: [{ name: 'call_tool_write', arguments: { name: '{name}' } }] },
  ],
  ['from another session', '{name}', {}, { session: 'other', transport: 'http' }],
  ['as a job', '{name}', {}, { background: { afterMs: 0, as: 'job' }, transport: 'job' }],
  ['as a task', '{name}', {}, { background: { afterMs: 0, as: 'task' } }],
  [
    'with a consent that nobody gave',
    '{name}',
    {},
    {
      clientCapabilities: ['form'],
      answers: { 'exai.consent': { action: 'accept' } },
    },
  ],
  ['within another call', '{name}', {}, { within: { tool: 'chat', depth: 1 } }],
  ['as a prompt', '{name}', {}, { kind: 'prompt' }],
  ['as a resource', 'mcp://{server}/data://{slug}', {}, { kind: 'resource' }],
  ['as a resource by its own address', 'data://{slug}', {}, { kind: 'resource' }],
];

/** Ways through the tool of Composio that calls several of its tools. */
const META_WAYS: readonly (readonly [way: string, args: JsonObject])[] = [
  ['alone', { tools: [{ tool_slug: '{slug}', arguments: {} }] }],
  [
    'beside one that is permitted',
    { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB' }, { tool_slug: '{slug}' }] },
  ],
  ['under another argument', { tools: [{ slug: '{slug}', params: {} }] }],
  ['in small letters', { tools: [{ tool_slug: '{lower}' }] }],
  ['with its server', { tools: [{ tool_slug: '{name}' }] }],
  ['with a space', { tools: [{ tool_slug: ' {slug} ' }] }],
  ['under two names', { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB', slug: '{slug}' }] }],
  [
    'in two lists',
    { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB' }], calls: [{ tool_slug: '{slug}' }] },
  ],
  ['in itself', { tools: [{ tool_slug: META, arguments: { tools: [{ tool_slug: '{slug}' }] } }] }],
  ['as text', { tools: '[{"tool_slug":"{slug}"}]' }],
  ['under an unknown argument', { tools: [{ action: '{slug}' }] }],
  ['as a bare name', { tools: ['{slug}'] }],
  [
    'in a field beside the name',
    { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB', action: '{slug}' }] },
  ],
  [
    'in a list beside the list',
    { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB' }], actions: [{ tool_slug: '{slug}' }] },
  ],
  ['outside the list', { tools: [], tool_slug: '{slug}' }],
];

const PERMITTED = 'COMPOSIO_SEARCH_WEB';

const DENIED = [
  ['report-creation-expert', 'composio', 'GMAIL_SEND_EMAIL'],
  ['report-creation-expert', 'composio', 'COMPOSIO_REMOTE_WORKBENCH'],
  ['report-creation-expert', 'composio', 'COMPOSIO_REMOTE_BASH_TOOL'],
  ['report-creation-expert', 'composio', 'OUTLOOK_SEND_EMAIL'],
  ['report-creation-expert', 'elsewhere', 'GMAIL_SEND_EMAIL'],
  ['report-creation-expert', 'elsewhere', 'COMPOSIO_SEARCH_WEB'],
  ['report-creation-expert', 'local_toolkit', 'delete_everything'],
  ['main', 'local_toolkit', 'save_corpus'],
  // No agent of the daemon: it has no rows.
  ['unknown', 'composio', 'COMPOSIO_SEARCH_WEB'],
  ['__proto__', 'composio', 'COMPOSIO_SEARCH_WEB'],
  ['constructor', 'composio', 'COMPOSIO_SEARCH_WEB'],
  ['', 'composio', 'COMPOSIO_SEARCH_WEB'],
] as const;

function filled<T>(template: T, server: string, slug: string): T {
  const name = nameOf(server, slug);
  const json = JSON.stringify(template)
    .replaceAll('{name}', name)
    .replaceAll('{lower}', name.toLowerCase())
    .replaceAll('{slug}', slug)
    .replaceAll('{server}', server);
  return JSON.parse(json) as T;
}

describe.each(DENIED)('the agent %j does not reach %s %s', (agent, server, slug) => {
  verifies('access:agents', 'by any way to name, wrap or continue a call', async () => {
    const { answer, reached } = await setUpAgents();
    const caller = asAgent(OWNER, agent);
    for (const [way, tool, args, more] of filled(WAYS, server, slug)) {
      // Composio's tool of this name is one that the agent may use.
      if (BY_SLUG.includes(way) && server === 'elsewhere' && slug === PERMITTED) continue;
      const { error, inputRequired, text } = await answer(tool, args, { ...more, caller });
      expect([way, inputRequired, reached()]).toEqual([way, undefined, []]);
      expect([way, error?.class ?? text]).not.toEqual([way, 'done']);
    }
  });
});

describe.each(DENIED.filter(([, server]) => server === 'composio'))(
  'the agent %j does not reach %s %s through Composio',
  (agent, server, slug) => {
    verifies('access:agents', 'however its tool that calls several is given the name', async () => {
      const { answer, reached } = await setUpAgents();
      const caller = asAgent(OWNER, agent);
      const meta = nameOf(server, META);
      for (const [way, args] of filled(META_WAYS, server, slug)) {
        for (const [tool, given] of [
          [meta, args],
          ['call_tool_write', { name: meta, arguments: args }],
          ['multi_execute_tool', { tools: [{ name: meta, arguments: args }] }],
        ] as const) {
          const { error, text } = await answer(tool, given, { caller });
          expect([way, tool, reached()]).toEqual([way, tool, []]);
          if (tool === 'multi_execute_tool') {
            expect(text).toMatch(/^(?:0 of 1 succeeded|Access to multi_execute_tool is denied)/);
          } else expect([way, error?.class]).toEqual([way, 'permission']);
        }
      }
    });
  },
);
