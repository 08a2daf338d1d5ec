import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Tool } from '#core/tools/tool.ts';
import { verifies } from '../../../../test/verifies.ts';
import { createRanking } from './create-ranking.ts';
import { explainMatch } from './explain-match.ts';
import { toDocument } from './tool-document.ts';
import { createToolIndex, type ToolIndex } from './tool-index.ts';

const WORDS = [
  'send',
  'email',
  'weather',
  'forecast',
  'file',
  'read',
  'delete',
  '天气',
  'issue',
  'list',
];

function toolOf(name: string, description: string, args: Record<string, string> = {}): Tool {
  const properties = Object.fromEntries(
    Object.entries(args).map(([each, about]) => [each, { type: 'string', description: about }]),
  );
  const tool: Partial<Tool> = {
    name,
    title: name,
    description,
    inputSchema: { type: 'object', properties },
  };
  return tool as Tool;
}

function indexOf(tools: readonly Tool[]): ToolIndex {
  const index = createToolIndex();
  for (const tool of tools) index.put(tool.name, toDocument(tool));
  return index;
}

const SOME = [
  toolOf('send_message', 'Sends an email to a recipient.', { recipient_email: 'Who gets it.' }),
  toolOf('get_weather', 'Gets the forecast of a city.', { city: 'A place.' }),
  toolOf('read_file', 'Reads the content of a file on disk.', { path: 'A path.' }),
  toolOf('bing_search', '使用必应搜索指定的关键词，并返回搜索结果列表', { query: '搜索关键词' }),
  toolOf('codecheck', 'Finds bugs.'),
];

function namesOf(index: ToolIndex, text: string): readonly string[] {
  return index.search(text, { limit: 10 }).map(({ name }) => name);
}

verifies('tools:search', 'a tool is found by words of its subject that it does not have', () => {
  const index = indexOf(SOME);
  expect(namesOf(index, 'will it rain tomorrow?')[0]).toBe('get_weather');
  expect(namesOf(index, 'mail Ann about the meeting')[0]).toBe('send_message');
  expect(namesOf(index, 'open a document')[0]).toBe('read_file');
});

test('a tool whose whole name is a word of the query is found before those with other words of it', () => {
  const index = indexOf([
    ...SOME,
    toolOf('echo', 'Echoes back the input string', { message: 'Message to echo' }),
    toolOf('SLACK_SEND_MESSAGE', 'Posts a message to a channel, a person or a group in Slack.'),
    toolOf('chat', 'Ask another model for a second opinion.', { prompt: 'The message.' }),
  ]);
  expect(namesOf(index, 'echo a message back')[0]).toBe('echo');
  expect(namesOf(index, 'please echo this text')[0]).toBe('echo');
});

verifies('tools:search', 'a search that no tool matches well says so', () => {
  const index = indexOf([
    ...SOME.slice(1),
    toolOf('preview', 'Shows what it would send to a model.', { model: 'A model.' }),
    toolOf('translator', 'Translates a text.'),
  ]);
  const isWeak = (text: string) => index.search(text, { limit: 3 })[0]?.isWeak;
  for (const text of ['send an email', '发送邮件', 'show the lyrics of a song'])
    expect([text, isWeak(text)]).toEqual([text, true]);
  for (const text of [
    'read a file',
    '读取文件',
    'will it rain',
    'translation',
    '天气',
    'find bugs',
  ])
    expect([text, isWeak(text)]).toEqual([text, false]);
  const learnt = (term: string) => (term === 'email' ? new Map([['preview', 0.6]]) : undefined);
  const [best] = index.search('send an email', { limit: 3, learnt });
  expect(best).toMatchObject({ name: 'preview', isWeak: false });
});

verifies('tools:search', 'tools of a graph of facts are found by what people say of facts', () => {
  const inGraph = (name: string, description: string) => ({
    ...toolOf(name, description),
    origin: { server: 'memory', tool: name },
  });
  const index = indexOf([
    ...SOME,
    inGraph('create_entities', 'Create multiple new entities in the knowledge graph'),
    inGraph('add_observations', 'Add new observations to existing entities'),
    inGraph('delete_entities', 'Delete multiple entities and their relations'),
    inGraph('read_graph', 'Read the entire knowledge graph'),
    toolOf('web_search', 'Searches the web, for current facts and sources.'),
    toolOf('versions', 'Versions of the store and the protocol.'),
  ]);
  const adding = ['add_observations', 'create_entities'];
  expect(namesOf(index, 'store a fact about a person').slice(0, 2).toSorted()).toEqual(adding);
  expect(adding).toContain(namesOf(index, '存储一个人的信息')[0]);
  expect(namesOf(index, 'forget a person')[0]).toBe('delete_entities');
});

verifies(
  'tools:search',
  'Chinese finds Chinese tools, and English ones of the same subject',
  () => {
    const index = indexOf(SOME);
    expect(namesOf(index, '搜索网页')[0]).toBe('bing_search');
    expect(namesOf(index, '明天天气怎么样')[0]).toBe('get_weather');
    expect(namesOf(index, '帮我发送一封邮件')[0]).toBe('send_message');
    expect(namesOf(index, '读取文件')[0]).toBe('read_file');
  },
);

test('a text that is as long as a prompt is searched by its beginning', () => {
  const index = indexOf(SOME);
  const begins = 'read a file '.padEnd(4_000, 'x ');
  const options = { limit: 5 };
  expect(index.search(`${begins}city a forecast of a city`, options)).toEqual(
    index.search(begins, options),
  );
});

test('names without separators are cut into words', () => {
  expect(namesOf(indexOf(SOME), 'check my code')[0]).toBe('codecheck');
});

test('numbers, dates and words of requests do not outweigh the subject', () => {
  const options = toolOf('options', 'Shows possible options.');
  const index = indexOf([...SOME, toolOf('chapter', 'Chapter 5 of March 2023.'), options]);
  const text = 'Can you show me possible options for a forecast on March 5, 2023?';
  expect(namesOf(index, 'The forecast of March 5, 2023')[0]).toBe('get_weather');
  expect(namesOf(index, text).slice(0, 2)).toContain('get_weather');
});

test('an index that changed answers as one that was made of what it has', () => {
  const change = fc.record({
    name: fc.constantFrom(...Array.from({ length: 30 }, (_, at) => `tool_${at}`)),
    text: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }),
    keep: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 900, size: 'max' }), (changes) => {
      const index = createToolIndex();
      const left = new Map<string, Tool>();
      for (const { name, text, keep } of changes) {
        if (keep) {
          const tool = toolOf(name, text.join(' '));
          left.set(name, tool);
          index.put(name, toDocument(tool));
        } else {
          left.delete(name);
          index.remove(name);
        }
      }
      const fresh = indexOf([...left.values()]);
      expect(index.size).toBe(fresh.size);
      for (const word of WORDS) {
        const scores = (of: ToolIndex) =>
          of.search(word, { limit: 50 }).map(({ name, score }) => [name, score.toFixed(6)]);
        expect(scores(index)).toEqual(scores(fresh));
      }
    }),
    { numRuns: 20 },
  );
});

test('of a list that changed only the changed tools are indexed again', () => {
  let read = 0;
  const counted = (tool: Tool): Tool => ({
    ...tool,
    get description() {
      read += 1;
      return tool.description;
    },
  });
  const tools = SOME.map(counted);
  const ranking = createRanking();
  const rank = (list: readonly Tool[], text: string) =>
    ranking.rank(list, text, { limit: 3 }).map(({ name }) => name);
  rank(tools, 'weather');
  const [before, first = SOME[0] as Tool, ...others] = [read, ...tools];
  const now = [...others, counted(toolOf('tide_table', 'Gets the tides of a harbour.'))];
  expect(rank(now, 'harbour')).toEqual(['tide_table']);
  expect(rank(now, first.name)).not.toContain(first.name);
  expect(read - before).toBe(before / tools.length);
});

test('preparing indexes all, and asks about access only for the best', async () => {
  const tools = Array.from({ length: 450 }, (_, at) =>
    toolOf(`weather_${at}`, `Weather of ${at}.`),
  );
  const ranking = createRanking();
  await ranking.prepare(tools);
  let asked = 0;
  const found = ranking.rank(tools, 'weather', {
    limit: 3,
    accepts(name) {
      asked += 1;
      return name !== 'weather_0';
    },
  });
  expect(found).toHaveLength(3);
  expect(asked).toBeLessThan(tools.length);
  expect(ranking.rank([], 'weather', { limit: 3 })).toEqual([]);
});

test('a tool that a caller called after a search is found by the words of that search', () => {
  const index = indexOf(SOME);
  const learnt = (term: string) =>
    term === 'umbrella' ? new Map([['read_file', 0.5]]) : undefined;
  expect(index.search('umbrella', { limit: 1 })[0]?.name).toBe('get_weather');
  expect(index.search('umbrella', { limit: 1, learnt })[0]?.name).toBe('read_file');
});

test('a hostile schema or name costs little and breaks nothing', () => {
  let deep: object = { type: 'string', description: 'deep' };
  for (let at = 0; at < 5_000; at += 1) deep = { type: 'object', properties: { x: deep } };
  const wide = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, at) => [`a${at}`, { description: 'x' }]),
  );
  const index = createToolIndex();
  for (const inputSchema of [
    deep,
    { properties: wide },
    { properties: null },
    { properties: [1] },
    {},
  ]) {
    const tool = { ...toolOf('a'.repeat(100_000), 'aaa '.repeat(10_000)), inputSchema } as Tool;
    index.put(tool.name, toDocument(tool));
  }
  for (const text of ['__proto__', 'constructor', '\u0000', '𠮷', 'a '.repeat(5_000), '']) {
    expect(index.search(text, { limit: 3 }).length).toBeLessThanOrEqual(3);
  }
});

test('a match is explained by the words that it has', () => {
  const [mail = SOME[0] as Tool] = SOME;
  expect(explainMatch('please send an email to a recipient', toDocument(mail))).toBe(
    'send in its name; email, recipient in its description',
  );
  expect(explainMatch('inbox', toDocument(mail))).toBe('words about inbox');
});

test('of two tools that have a word, the one that is about little else comes first', () => {
  const index = indexOf([
    toolOf('a_tool', 'Posts invoices, orders, taxes, budgets and ledgers of a warehouse.'),
    toolOf('b_tool', 'Posts invoices.'),
    toolOf('c_tool', 'Reads sensors.'),
  ]);
  expect(namesOf(index, 'post the invoices')[0]).toBe('b_tool');
});

test('a common word that one description alone has counts less than a word of a subject', () => {
  const index = indexOf([
    toolOf('one', 'Made for several people.'),
    toolOf('other', 'Finds ferries.'),
    toolOf('third', 'Reads sensors.'),
  ]);
  expect(namesOf(index, 'a ferry for people')[0]).toBe('other');
});

verifies('tools:search', 'a rare word of a name outweighs words that many tools have', () => {
  const index = indexOf([
    ...SOME,
    toolOf('echo', 'Echoes back the input string', { message: 'Message to echo' }),
    toolOf('get-annotated-message', 'Demonstrates how annotations tell about content.', {
      messageType: 'Type of message to demonstrate',
    }),
    toolOf('SLACK_SEND_MESSAGE', 'Posts a message to a channel, a person or a group in Slack.', {
      channel: 'Its id or name.',
      markdown_text: 'The message in Markdown.',
      text: 'The message as plain text, where there is no markdown_text.',
      thread_ts: 'The message that it answers.',
    }),
  ]);
  expect(namesOf(index, 'echo a message back')[0]).toBe('echo');
  expect(namesOf(index, 'send a message back to a Slack channel')[0]).toBe('SLACK_SEND_MESSAGE');
});

test('a tool is found by a word that is derived from the same one', () => {
  const index = indexOf([...SOME, toolOf('vaporizer', 'Does something to a liquid.')]);
  expect(namesOf(index, 'vaporization')).toEqual(['vaporizer']);
});

test('of tools with the word of a query, the one about its subject comes first', () => {
  const index = indexOf([
    toolOf('a_lookup', 'Match of a player with a database record.'),
    toolOf('b_lookup', 'Match of a player with a football club.'),
  ]);
  expect(namesOf(index, 'the player of the league')[0]).toBe('b_lookup');
});

test('of tools with the same words, the one that begins with those of a query comes first', () => {
  const index = indexOf([
    toolOf('a_tool', 'Lists museums, bridges, towers, castles and ferries.'),
    toolOf('b_tool', 'Lists ferries, museums, bridges, towers and castles.'),
    toolOf('c_tool', 'Reads sensors.'),
  ]);
  expect(namesOf(index, 'ferries')[0]).toBe('b_tool');
});

verifies('tools:search', 'a wish in everyday words finds the tools that serve it', () => {
  const index = indexOf([
    ...SOME,
    toolOf('insomnia_aid', 'Meditation and calm breathing before the night.'),
    toolOf('giftwise', 'Gift ideas for every occasion.'),
  ]);
  expect(namesOf(index, 'I feel overwhelmed and worry a lot')[0]).toBe('insomnia_aid');
  expect(namesOf(index, 'something romantic for my wife')[0]).toBe('giftwise');
  expect(namesOf(index, '给朋友买什么礼物')[0]).toBe('giftwise');
});

verifies('tools:search', 'tools of a server of which several fit come before a lone one', () => {
  const of = (server: string, name: string, description: string) => ({
    ...toolOf(name, description),
    origin: { server, tool: name },
  });
  const lone = of('attic', 'a_berth', 'Reserves a berth.');
  const first = of('harbour', 'b_berth', 'Reserves a berth.');
  const others = [
    of('harbour', 'c_ferries', 'Lists ferries of a harbour.'),
    of('harbour', 'd_tides', 'Lists tides of a harbour.'),
    of('attic', 'e_boxes', 'Counts boxes.'),
  ];
  const index = indexOf([lone, first, ...others]);
  const found = namesOf(index, 'a berth, and tides and ferries');
  expect(found.filter((name) => name.endsWith('berth'))).toEqual(['b_berth', 'a_berth']);
  expect(namesOf(indexOf([lone, first]), 'a berth')).toEqual(['a_berth', 'b_berth']);
});
