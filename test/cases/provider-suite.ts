import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatAnswer, ChatOutcome } from '#core/llm/collect-chat.ts';
import { collectChat } from '../collect-chat.ts';
import type { VendorRequestRecord, Provider, ProviderContext } from '#core/llm/provider.ts';
import { FIVE, user } from './provider-requests.ts';
import { openProvider, type OpenProvider, type ProviderSubject } from './provider-under-test.ts';

/** What the cases of one provider share: one emulator, fresh before each of them. */
export interface Suite {
  readonly subject: ProviderSubject;
  readonly open: () => OpenProvider;
  readonly provider: () => Provider;
  readonly context: () => ProviderContext;
  readonly ask: (
    change?: Partial<ChatRequest>,
    seen?: VendorRequestRecord[],
  ) => Promise<ChatOutcome>;
  /** Fails with what went wrong. */
  readonly answer: (change?: Partial<ChatRequest>) => Promise<ChatAnswer>;
  /** An operation that the subject is said to have. */
  readonly method: <Name extends keyof Provider>(name: Name) => NonNullable<Provider[Name]>;
}

export function providerSuite(subject: ProviderSubject): Suite {
  let harness: OpenProvider | undefined;
  beforeAll(async () => {
    harness = await openProvider(subject);
  });
  beforeEach(() => harness?.reset());
  afterAll(() => harness?.close());

  const open = (): OpenProvider => {
    if (!harness) throw new Error('The provider is not open.');
    return harness;
  };
  const ask: Suite['ask'] = (change = {}, seen = []) =>
    collectChat(
      open().provider.chat(
        { model: subject.model, delivery: 'whole', messages: user(FIVE), ...change },
        open().context((exchange) => seen.push(exchange)),
      ),
    );
  return {
    subject,
    open,
    provider: () => open().provider,
    context: () => open().context(),
    ask,
    answer: async (change) => answerOf(await ask(change)),
    method(name) {
      const found = open().provider[name];
      expect(found, `${subject.name} has ${name}`).toBeDefined();
      return found as NonNullable<typeof found>;
    },
  };
}

export function answerOf(outcome: ChatOutcome): ChatAnswer {
  if (outcome.is === 'failed') throw outcome.error;
  return outcome.answer;
}

/** What was thrown, which has to be a CallError. */
export async function failureOf(work: Promise<unknown>): Promise<CallError> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  }
  throw new Error('Nothing was thrown.');
}
