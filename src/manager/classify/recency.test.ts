import { expect, test } from 'vitest';
import { detectRecency } from './recency.ts';

test.each([
  'What is the latest news about Kimi?',
  "Give me today's headlines",
  'the newest stable release of Node.js please',
  'current bitcoin price',
  'What is the current exchange rate of the euro?',
  "What's new in TypeScript 7?",
  'weather in Melbourne',
  'Search the web for good ramen',
  'Can you look it up online?',
  'As of today, who leads the league?',
  'How did the markets do yesterday?',
  'Who won the grand final last week?',
  'Was sind die neuesten Nachrichten?',
  'Quelles sont les dernières nouvelles ?',
  '¿Cuáles son las últimas noticias?',
  '今天的新闻有哪些？',
  '帮我上网查一下',
  '最新のニュースを教えて',
  '오늘 날씨 어때?',
])('asks for recent information: %s', (question) => {
  expect(detectRecency(question)).toMatchObject({ strength: 'strong' });
});

test.each([
  'How are you today?',
  'Use the latest syntax',
  'What are people currently saying about tabs?',
  '最近怎么样',
  '최근 소식을 요약해 줘',
])('may ask for recent information: %s', (question) => {
  expect(detectRecency(question)).toMatchObject({ strength: 'weak' });
});

test.each([
  'What is a monad?',
  'Print the current directory',
  'Refactor `latestNews()` please',
  'Explain this:\n```js\nconst today = latest news;\n```',
  '~~~\nbreaking news\n~~~\nWhat does it print?',
  'Write a price parser',
  '',
])('asks for nothing new: %s', (question) => {
  expect(detectRecency(question)).toBeUndefined();
});

test('the matched phrase is returned, at most one line of it', () => {
  expect(detectRecency('Any news about cats?')).toEqual({
    words: 'news about',
    strength: 'strong',
  });
  const long = detectRecency(`results ${'of '.repeat(9)} this week`);
  expect(long?.words.length).toBeLessThanOrEqual(60);
});

test.each(['`', '```', '~', 'latest ', 'who won ', 'weather', 'today', 'current a a ', '今'])(
  'a flood of %j is read to its end',
  (piece) => {
    expect(() => detectRecency(piece.repeat(500_000))).not.toThrow();
  },
);
