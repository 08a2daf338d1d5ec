import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/chat.ts';
import { sleep } from '#core/clock.ts';
import { remainingMs } from '#core/deadline.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import type { Provider, ProviderContext } from '#core/provider.ts';
import { oneLine } from '#core/one-line.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { checkRequest } from '../wire/check-request.ts';
import { named } from '../wire/send.ts';
import { watchExchange } from '../wire/watch-exchange.ts';
import { writeAnswer } from './answer.ts';
import { extract, inTurns, slicesOf } from './extract.ts';
import { LOCAL_MODEL } from './local-model.ts';
import { readMaterial } from './sources.ts';

export interface LocalSettings {
  /** Of all texts together; 10 million unless told. What lies beyond is not looked at, and the answer says so. */
  readonly maxChars?: number;
}

const MAX_CHARS = 10_000_000;

/**
 * The last resort: no network and no model. It finds passages of the given texts that fit the question, quotes them with their
 * places and says plainly that it is no model. The same question over the same texts has the same answer.
 */
export function createLocal(
  { maxChars = MAX_CHARS }: LocalSettings,
  { clock, forbids }: Pick<ProviderDeps, 'clock' | 'forbids'>,
): Provider {
  async function* chat(
    request: ChatRequest,
    context: ProviderContext,
  ): AsyncGenerator<ChatEvent, void, undefined> {
    const model = LOCAL_MODEL.id;
    const about = { operation: 'chat', model } as const;
    const watch = watchExchange(about, context, { provider: 'local', clock, idHeaders: [] });
    const checkpoint = () => {
      context.signal.throwIfAborted();
      if (remainingMs(context.deadline, clock) > 0) return;
      throw new CallError('timeout', 'The deadline of this call has passed.');
    };
    try {
      checkpoint();
      refuseForbidden(LOCAL_MODEL, forbids);
      refuseWhatNeedsAModel(request);
      checkRequest({ ...request, tools: [], toolChoice: 'none' }, LOCAL_MODEL);
      yield { type: 'start', model };
      const material = readMaterial(request.messages);
      const pause = async () => {
        await sleep(clock, 0, context.signal);
        checkpoint();
      };
      const found = await extract(material, maxChars, pause);
      const limit = Math.min(
        request.maxOutputTokens ?? LOCAL_MODEL.maxOutputTokens,
        LOCAL_MODEL.maxOutputTokens,
      );
      const { pieces, finish, quoted } = writeAnswer(found, limit);
      let input = estimateTokens(material.question);
      const { slices } = slicesOf(material.sources, maxChars);
      await inTurns(slices, pause, ({ source, from, to }) => {
        input += estimateTokens(source.text.slice(from, to));
      });
      watch.firstToken();
      const told = request.delivery === 'whole' ? [pieces.join('')] : pieces;
      for (const text of told) yield { type: 'text', text };
      if (quoted === 0) yield { type: 'notice', notice: notice('nothing_to_quote', {}) };
      const output = estimateTokens(pieces.join(''));
      const counts = { input, output, cached: 0, reasoning: 0, costMicroUsd: 0 };
      yield { type: 'usage', usage: { ...counts, estimated: true } };
      watch.end('ok');
      yield { type: 'finish', reason: finish };
    } catch (thrown) {
      const error = named(thrown, model, { provider: 'local' });
      watch.end(error.class);
      throw error;
    } finally {
      watch.end('cancelled');
    }
  }

  return {
    id: 'local',
    title: 'Local',
    can: [],
    chat,
    check: () =>
      Promise.resolve('always there: quotes the texts it is given, without a model or a network'),
  };
}

/** Nobody is served by a guess where a tool call, JSON or a look at a picture was asked for. */
function refuseWhatNeedsAModel(request: ChatRequest): void {
  const { model, tools = [], responseFormat, continuation, messages } = request;
  if (model !== '' && ![LOCAL_MODEL.id, ...LOCAL_MODEL.aliases].includes(model.toLowerCase())) {
    throw new CallError('not_found', `There is no local model "${oneLine(model, 80)}".`, {
      field: 'model',
      fix: `The only one is ${LOCAL_MODEL.id}.`,
    });
  }
  if (tools.length > 0 && request.toolChoice !== 'none') throw needsAModel('call tools');
  if (responseFormat) throw needsAModel('answer in JSON');
  if (continuation) throw needsAModel('go on with an answer');
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    const seen = content.find(({ type }) => type === 'image' || type === 'video');
    if (seen) throw needsAModel(seen.type === 'image' ? 'look at pictures' : 'watch videos');
  }
}

function needsAModel(deed: string): CallError {
  return new CallError(
    'not_configured',
    `No model answers here, and without one EX-AI cannot ${deed}.`,
    {
      fixes: [
        fix('add_key', { provider: 'kimi' }),
        fix('add_key', { provider: 'glm' }),
        fix('run_doctor'),
      ],
    },
  );
}
