import fc from 'fast-check';
import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import { createAnthropicDialect } from './dialect.ts';

const dialect = createAnthropicDialect();

/** A request with all members, which the tests corrupt. */
const WHOLE = JSON.stringify({
  model: 'auto',
  max_tokens: 4100,
  stream: true,
  temperature: 0.5,
  stop_sequences: ['END'],
  system: [{ type: 'text', text: 'Be brief.' }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
        { type: 'document', title: 'D', source: { type: 'text', data: 'first' } },
        { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
        {
          type: 'document',
          source: { type: 'content', content: [{ type: 'text', text: 'second' }] },
        },
        {
          type: 'search_result',
          title: 'T',
          source: 'S',
          content: [{ type: 'text', text: 'found' }],
        },
      ],
    },
    { role: 'system', content: 'Be kind.' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'a', name: 'read', input: { path: ['x'] } },
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a',
          is_error: true,
          content: [
            { type: 'text', text: 'A' },
            { type: 'tool_reference', tool_name: 'look' },
          ],
        },
      ],
    },
  ],
  tools: [
    { name: 'read', description: 'Reads.', input_schema: { type: 'object', properties: {} } },
    { type: 'web_search_20250305', name: 'web_search' },
  ],
  tool_choice: { type: 'tool', name: 'read' },
  thinking: { type: 'enabled', budget_tokens: 4000 },
  output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } },
  exai: { continue: false, fallback: 'none', prefer: 'cost', max_cost_usd: 1 },
});

type Node = Record<string, unknown>;

/** Every member that is not too deep: its object or list, and its key. */
function placesIn(value: unknown, depth = 10, found: [Node, string][] = []): [Node, string][] {
  if (typeof value !== 'object' || value === null || depth === 0) return found;
  for (const [name, member] of Object.entries(value)) {
    found.push([value as Node, name]);
    placesIn(member, depth - 1, found);
  }
  return found;
}

/** A deep copy by JSON. */
const junk = fc.oneof(
  fc
    .constantFrom('__proto__', 'constructor', '', ' ', 'text', 'x'.repeat(5000), -1, 1e308, null)
    .map((value) => JSON.stringify(value)),
  fc.json({ maxDepth: 2 }),
  fc.constantFrom(
    '{"__proto__":{"type":"text"},"type":"text","text":"t"}',
    '['.repeat(2000) + ']'.repeat(2000),
  ),
);
const spoiling = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'remove', 'add'),
  junk,
  name: fc.constantFrom('type', 'content', 'text', 'constructor', 'x'),
});

const spoiled = fc.array(spoiling, { maxLength: 2 }).map((steps) => {
  const body = JSON.parse(WHOLE) as Node;
  for (const step of steps) {
    const places = placesIn(body);
    const [node, name] = places[step.at % places.length] ?? [body, 'model'];
    if (step.how === 'remove') delete node[name];
    else node[step.how === 'add' ? step.name : name] = JSON.parse(step.junk);
  }
  return JSON.stringify(body);
});

/** How a request was handled, or what is wrong with that. */
function outcomeOf(value: unknown): string {
  try {
    const { chat, delivery } = dialect.readChat(value, {});
    const { messages, delivery: asked } = chat.ask;
    // It can be serialised, so nothing in it is too deep.
    JSON.stringify(chat);
    const isAnswerable = messages.length > 0 && messages.at(-1)?.role !== 'system';
    return isAnswerable && asked === delivery ? 'taken' : 'cannot be asked';
  } catch (thrown) {
    if (!(thrown instanceof CallError)) return `threw ${String(thrown)}`;
    const { class: errorClass, field = '', message, fix = '' } = thrown;
    if (errorClass !== 'validation' && errorClass !== 'bad_request') return errorClass;
    const isClear = /^[a-z_]/.test(field) && message.length < 400 && fix.endsWith('.');
    return isClear ? 'refused' : `${field}: ${message} ${fix}`;
  }
}

verifies(
  'gateway:hostile-body',
  'any JSON is a request, or is rejected with the name of its field',
  () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(['taken', 'refused']).toContain(outcomeOf(value));
      }),
      { numRuns: 500 },
    );
  },
);

verifies(
  'gateway:hostile-body',
  'any nearly valid request is accepted, or rejected with the name of its field',
  () => {
    expect(outcomeOf(JSON.parse(WHOLE))).toBe('taken');
    const seen: Record<string, number> = {};
    fc.assert(
      fc.property(spoiled, (text) => {
        const outcome = outcomeOf(JSON.parse(text));
        expect(['taken', 'refused']).toContain(outcome);
        seen[outcome] = (seen[outcome] ?? 0) + 1;
      }),
      { numRuns: 1000 },
    );
    expect(Object.values(seen).every((count) => count > 100)).toBe(true);
    expect(Object.hasOwn(Object.prototype, 'type')).toBe(false);
  },
);

verifies(
  'gateway:hostile-body',
  'a request of very many messages or results is read as any other',
  () => {
    const messages = Array.from({ length: 90_000 }, (_, index) => ({
      role: index % 3 === 0 ? 'user' : 'system',
      content: 'again',
    }));
    expect(outcomeOf({ max_tokens: 1, messages })).toBe('taken');
    const content = Array.from({ length: 90_000 }, () => ({
      type: 'tool_result',
      tool_use_id: 'a',
    }));
    const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read' }] };
    const turns = [called, { role: 'user', content }];
    expect(outcomeOf({ max_tokens: 1, messages: turns })).toBe('taken');
    const many = Array.from({ length: 100_001 }, () => ({ role: 'user', content: 'again' }));
    expect(outcomeOf({ max_tokens: 1, messages: many })).toBe('refused');
  },
);

verifies('gateway:hostile-body', 'one block may hold very many others', () => {
  const inside = Array.from({ length: 300_000 }, () => ({ type: 'text', text: 'a' }));
  const pictures = Array.from({ length: 300_000 }, () => ({
    type: 'image',
    source: { type: 'url', url: 'https://a.example/' },
  }));
  const document = { type: 'document', source: { type: 'content', content: inside } };
  const result = { type: 'tool_result', tool_use_id: 'a', content: pictures };
  const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read' }] };
  const messages = [called, { role: 'user', content: [result, document] }];
  expect(outcomeOf({ max_tokens: 1, messages })).toBe('taken');
});
