import { afterEach, expect, test } from 'vitest';
import { CHAT_SENTENCES, chatRenderer } from '#cli/messages/chat-sentences.ts';
import {
  ASK_SENTENCES,
  askRenderer,
  CLI_SENTENCES,
  cliRenderer,
  JOB_SENTENCES,
  jobRenderer,
} from '#cli/messages/cli-sentences.ts';
import { FIX_SAMPLES } from '#core/messages/fix-samples.fixture.ts';
import { FIX_SENTENCES, type Fix } from '#core/messages/fixes.ts';
import { NOTICE_SAMPLES } from '#core/messages/notice-samples.fixture.ts';
import { NOTICE_SENTENCES, type Notice } from '#core/messages/notices.ts';
import { REASON_SAMPLES } from '#core/messages/reason-samples.fixture.ts';
import { REASON_SENTENCES, type Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { createGatewayRenderer } from '#transport/gateway/error-response.ts';
import { sampled } from '../thorough.ts';
import { messageDecisions } from './message-decisions.ts';

const SURFACES = {
  MCP: baseRenderer,
  'exai call': cliRenderer,
  'exai jobs': jobRenderer,
  'exai ask': askRenderer,
  'exai chat': chatRenderer,
  gateway: createGatewayRenderer(new Map([['max_output_tokens', 'max_tokens']])),
};

/** Signs of a value that was not there, or of an object that was taken for a text. */
const BROKEN = /undefined|null|NaN|\[object|^\s|\s$/;

function samplesOf<Sample>(
  samples: Readonly<Record<string, readonly object[]>>,
  key: string,
): Sample[] {
  return Object.entries(samples).flatMap(([code, all]) =>
    all.map((params) => ({ [key]: code, params }) as Sample),
  );
}

const REASONS = samplesOf<Reason>(REASON_SAMPLES, 'code');
const NOTICES = samplesOf<Notice>(NOTICE_SAMPLES, 'code');
const FIXES = samplesOf<Fix>(FIX_SAMPLES, 'kind');

test.each(Object.entries(SURFACES))(
  'every code and kind has a text on the surface %s',
  (_, render) => {
    const texts = [
      ...REASONS.map((each) => render.message({ message: '', reason: each })),
      ...NOTICES.map((each) => render.notice(each)),
      ...FIXES.map((each) => render.fixes([each])),
    ];
    expect(texts.filter((text) => !/\w{2}/.test(text) || BROKEN.test(text))).toEqual([]);
  },
);

test('only what a surface has no option for is left out of it', () => {
  const raise: Fix = { kind: 'raise_argument', params: { argument: 'max_output_tokens' } };
  const left = Object.entries(SURFACES).filter(([, render]) => render.fixes([raise]) === '');
  expect(left.map(([name]) => name)).toEqual(['exai ask', 'exai chat']);
});

type Table = Record<string, unknown>;

/** Every table of sentences that there is, by the name of what it is for. */
const TABLES: Readonly<Record<string, object | undefined>> = {
  reasons: REASON_SENTENCES,
  notices: NOTICE_SENTENCES,
  fixes: FIX_SENTENCES,
  ...Object.fromEntries(
    Object.entries({ CLI_SENTENCES, JOB_SENTENCES, ASK_SENTENCES, CHAT_SENTENCES }).flatMap(
      ([name, { reasons, notices, fixes }]) => [
        [`${name}.reasons`, reasons],
        [`${name}.notices`, notices],
        [`${name}.fixes`, fixes],
      ],
    ),
  ),
};

const ENTRIES = Object.entries(TABLES).flatMap(([name, table]) =>
  Object.keys(table ?? {}).map((code) => ({ name, code, table: table as Table })),
);

let restore: (() => void)[] = [];

function reword({ table, code }: (typeof ENTRIES)[number], text: string): void {
  const before = table[code];
  restore.push(() => (table[code] = before));
  table[code] = () => text;
}

function putBack(): void {
  for (const each of restore.reverse()) each();
  restore = [];
}

afterEach(putBack);

test('a reworded sentence changes no exit code, status, code or decision', async () => {
  const before = await messageDecisions();
  expect(ENTRIES.length).toBeGreaterThan(250);
  const changed: string[] = [];
  // All of them together are the next test; this one names the sentence.
  for (const entry of sampled(ENTRIES, 8)) {
    reword(entry, 'Etwas ganz anderes: exai keys add glm');
    const after = await messageDecisions();
    if (JSON.stringify(after) !== JSON.stringify(before))
      changed.push(`${entry.name}.${entry.code}`);
    putBack();
  }
  expect(changed).toEqual([]);
}, 240_000);

test('neither do all of them together, nor empty ones', async () => {
  const before = await messageDecisions();
  for (const text of ['Tout autre chose.', '']) {
    for (const entry of ENTRIES) reword(entry, text);
    expect(await messageDecisions()).toEqual(before);
    putBack();
  }
});

test('a mutation reaches the texts', () => {
  const [entry] = ENTRIES.filter(({ name, code }) => name === 'fixes' && code === 'retry');
  if (entry) reword(entry, 'reworded');
  expect(baseRenderer.fixes([{ kind: 'retry', params: {} }])).toBe('Reworded.');
});
