// A whole ask, with providers that answer from memory and a store that keeps nothing, beside
// reading the same answer from the bare provider.
import { SILENT_LOG } from '#app/providers/silent-log.ts';
import { systemClock } from '#app/system.ts';
import type { AskRequest, Manager } from '#core/llm/ask.ts';
import type { ChatRequest } from '#core/llm/chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { createSummaries } from '#manager/context/summaries.ts';
import { createManager } from '#manager/create-manager.ts';
import { createClassifier } from '#manager/classify/classifier.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { fullAnswer, scripted, type Scripted } from '../../src/manager/run/scripted.fixture.ts';
import type { BenchRow } from '../report.ts';
import { askedBy, SHARED_SIGNAL } from './ask-context.ts';
import { cpuOfEach, type Work } from './cpu.ts';
import { createRoutingSubject } from './routing-subject.ts';
import { proseOf } from './texts.ts';

const QUESTION = proseOf(1_000);
const PIECES = [10, 1_000] as const;
const PIECE_GOAL_NS = 1_000;

const REQUEST: AskRequest = {
  system: proseOf(2_000),
  messages: [{ role: 'user', content: QUESTION }],
};

export async function askRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const over: number[] = [];
  for (const pieces of PIECES) {
    const answer = fullAnswer(...Array.from({ length: pieces }, () => ' lighthouse'));
    const provider = scripted('glm', [answer]);
    const manager = await createSubject(provider);
    const cpu = await cpuOfEach({ bare: reading(provider), ask: asking(manager, provider) });
    over.push(cpu.ask - cpu.bare);
    rows.push(
      row(`an answer of ${pieces.toLocaleString('en')} pieces, from the bare provider`, cpu.bare),
      { ...row('the same by ask', cpu.ask), ratio: cpu.ask / cpu.bare },
      row('the same by ask, over the bare provider', cpu.ask - cpu.bare),
    );
  }
  const [short = 0, long = 0] = over;
  const perPiece = ((long - short) * 1000) / (PIECES[1] - PIECES[0]);
  rows.push({
    what: 'each piece of an answer by ask, over the bare provider',
    value: perPiece,
    unit: 'ns',
    goal: `≤ ${PIECE_GOAL_NS} ns`,
    ok: perPiece <= PIECE_GOAL_NS,
  });
  return rows;
}

async function createSubject(provider: Scripted): Promise<Manager> {
  const { config, clock, ...parts } = await createRoutingSubject([provider]);
  return createManager({
    ...parts,
    clock,
    providers: new Map<ProviderId, Scripted>([[provider.id, provider]]),
    timeouts: config.timeouts,
    summaries: createSummaries({}),
    classifier: createClassifier({ clock, maxEntries: 1000 }),
    spend: async () => undefined,
    maxVendorCalls: 12,
    locale: config.locale,
    classifyMs: config.routing.classifyMs,
    log: SILENT_LOG,
    crumbs: SILENT_LOG,
    redactHosts: () => (text) => text,
    metrics: createMetrics(),
  });
}

function asking(manager: Manager, provider: Scripted): Work {
  return async (times) => {
    for (let n = 0; n < times; n += 1) {
      let heard = 0;
      const { text } = await manager.ask(REQUEST, askedBy(), {
        onText: (piece) => (heard += piece.length),
      });
      if (heard !== text.length || heard === 0) throw new Error('the answer was not heard');
      // It notes what it was asked, for tests.
      provider.asked.length = 0;
    }
  };
}

/** The least that one can do to have the answer as one text. */
function reading(provider: Scripted): Work {
  const request: ChatRequest = {
    model: 'glm-4.7-flash',
    messages: REQUEST.messages,
    delivery: 'stream',
  };
  return async (times) => {
    for (let n = 0; n < times; n += 1) {
      let text = '';
      const context = { signal: SHARED_SIGNAL, deadline: deadlineIn(systemClock, 300_000) };
      for await (const event of provider.chat(request, context)) {
        if (event.type === 'text') text += event.text;
      }
      if (text === '') throw new Error('the answer was not heard');
      provider.asked.length = 0;
    }
  };
}

function row(what: string, value: number): BenchRow {
  return { what, value, unit: 'µs' };
}
