// Everything before somebody is asked: counting, facts, decision, prompt. Beside it, counting
// alone.
import type { AskRequest } from '#core/llm/ask.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { BenchRow } from '../report.ts';
import { cpuOfEach, type Work } from './cpu.ts';
import { createDecider, type Decide } from './decide.ts';
import { proseOf } from './texts.ts';

const FEW_MODELS = 46;
const SIZES = { '1 KB': 1_000, '32 KB': 32_000, '1 MB': 1_000_000 } as const;
const LARGE_GOAL = 1.2;
const FLAT_GOAL = 1.2;
const SYSTEM = proseOf(2_000);
const QUESTION = 'What did the keeper of the lighthouse see, and at what time?';

export async function decisionRows(): Promise<BenchRow[]> {
  const decide = await createDecider(FEW_MODELS);
  return [...(await sizeRows(decide)), ...(await catalogueRows()), ...(await historyRows(decide))];
}

async function sizeRows(decide: Decide): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [size, chars] of Object.entries(SIZES)) {
    const text = proseOf(chars);
    const cpu = await cpuOfEach({
      counting: counting([text]),
      question: deciding(decide, asking(text)),
      file: deciding(decide, { ...asking(QUESTION), files: [{ name: 'log.txt', text }] }),
    });
    const ratios = { question: cpu.question / cpu.counting, file: cpu.file / cpu.counting };
    const goal = (ratio: number) =>
      chars === SIZES['1 MB'] && {
        goal: `≤ ${LARGE_GOAL} × estimateTokens of the text`,
        ok: ratio <= LARGE_GOAL,
      };
    rows.push(
      row(`${size}: estimateTokens of the text alone`, cpu.counting),
      {
        ...row(`${size} in the question: facts, decision and fit`, cpu.question),
        ratio: ratios.question,
        ...goal(ratios.question),
      },
      {
        ...row(`${size} in a file: facts, decision and fit`, cpu.file),
        ratio: ratios.file,
        ...goal(ratios.file),
      },
    );
  }
  return rows;
}

async function catalogueRows(): Promise<BenchRow[]> {
  const request = asking(proseOf(SIZES['1 KB']));
  const named = { ...request, model: 'kimi-k3' };
  const [few, more, many] = await Promise.all([FEW_MODELS, 1_000, 10_000].map(createDecider));
  if (!few || !more || !many) return [];
  const cpu = await cpuOfEach({
    few: deciding(few, request),
    more: deciding(more, request),
    many: deciding(many, request),
    fewNamed: deciding(few, named),
    manyNamed: deciding(many, named),
  });
  const what = (models: string, rest = '') => `a catalogue of ${models} models, 1 KB${rest}`;
  return [
    row(what(`${FEW_MODELS}`), cpu.few),
    flat(what('1,000'), cpu.more, cpu.few, `${FEW_MODELS} models`),
    flat(what('10,000'), cpu.many, cpu.few, `${FEW_MODELS} models`),
    row(what(`${FEW_MODELS}`, ', a model named'), cpu.fewNamed),
    flat(what('10,000', ', a model named'), cpu.manyNamed, cpu.fewNamed, `${FEW_MODELS} models`),
  ];
}

/** About a hundred tokens each: a hundred thousand are five times what is counted at most. */
async function historyRows(decide: Decide): Promise<BenchRow[]> {
  const [few, more, some, many] = [10, 1_000, 25_000, 100_000].map(conversationOf);
  if (!few || !more || !some || !many) return [];
  const cpu = await cpuOfEach({
    few: deciding(decide, few),
    fewCounting: counting(few.messages.map(textOf)),
    more: deciding(decide, more),
    moreCounting: counting(more.messages.map(textOf)),
    some: deciding(decide, some),
    many: deciding(decide, many),
  });
  return [
    { ...row('a history of 10 messages', cpu.few), ratio: cpu.few / cpu.fewCounting },
    {
      ...row('a history of 1,000 messages', cpu.more),
      ratio: cpu.more / cpu.moreCounting,
      goal: `≤ ${LARGE_GOAL} × estimateTokens of them`,
      ok: cpu.more / cpu.moreCounting <= LARGE_GOAL,
    },
    row('a history of 25,000 messages, more than any window holds', cpu.some),
    flat('a history of 100,000 messages', cpu.many, cpu.some, '25,000 messages'),
  ];
}

function conversationOf(messages: number): AskRequest {
  const said = proseOf(400);
  const history = Array.from({ length: messages }, (_, n): ChatMessage => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: said,
  }));
  return { system: SYSTEM, messages: [...history, { role: 'user', content: QUESTION }] };
}

function asking(question: string): AskRequest {
  return { system: SYSTEM, messages: [{ role: 'user', content: question }] };
}

function textOf({ content }: ChatMessage): string {
  return typeof content === 'string' ? content : '';
}

function deciding(decide: Decide, request: AskRequest): Work {
  return async (times) => {
    for (let n = 0; n < times; n += 1) {
      const { messages } = await decide(request);
      if (messages.length === 0) throw new Error('nothing would be sent');
    }
  };
}

function counting(texts: readonly string[]): Work {
  return (times) => {
    let tokens = 0;
    for (let n = 0; n < times; n += 1) for (const text of texts) tokens += estimateTokens(text);
    if (tokens === 0) throw new Error('nothing was counted');
  };
}

function row(what: string, value: number): BenchRow {
  return { what, value, unit: 'µs' };
}

function flat(what: string, value: number, before: number, than: string): BenchRow {
  const ratio = value / before;
  return { ...row(what, value), ratio, goal: `≤ ${FLAT_GOAL} × ${than}`, ok: ratio <= FLAT_GOAL };
}
