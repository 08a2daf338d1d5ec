import type { Dictionary } from '../is-object.ts';
import { wholeCalls, type CallShape } from '../openai/calls.ts';
import { failAfter } from '../openai/broken-stream.ts';
import { stepsOf } from '../openai/steps.ts';
import type { Reply } from '../vendor.ts';
import { errorBody, type ErrorStyle } from './errors.ts';
import { isVisionLine } from './models.ts';
import type { Prepared } from './prepare-chat.ts';
import type { GlmSwitches } from './switches.ts';
import { resultOf } from './search-result.ts';

/** The answer in one piece, as `/chat/completions` and `/async-result` give it. */
export function wholeChat(prepared: Prepared, switches: GlmSwitches): Dictionary {
  const { said, fault, model } = prepared;
  const calls = wholeCalls(said, shapeOf(prepared, switches), fault);
  const text = said.text === '' && calls.length > 0 ? null : said.text;
  const isParts = switches.visionContent === 'parts' && isVisionLine(model) && text !== null;
  const choice = {
    index: 0,
    finish_reason: said.finish,
    message: {
      role: 'assistant',
      content: isParts ? [{ type: 'text', text }] : text,
      ...(said.reasoning === '' ? {} : { reasoning_content: said.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    ...(fault?.id === 'F7.choice' ? { usage: prepared.usage } : {}),
  };
  return {
    id: prepared.id,
    request_id: prepared.requestId,
    created: prepared.created,
    model: model.id,
    ...(switches.objectField === 'present' ? { object: 'chat.completion' } : {}),
    choices: [choice],
    ...(hidesUsage(prepared) ? {} : { usage: prepared.usage }),
    ...sourcesOf(prepared),
    ...(prepared.filter === undefined ? {} : { content_filter: prepared.filter }),
  };
}

/** The usage is part of the chunk with the finish reason, whether it was requested or not. */
export async function streamChat(
  prepared: Prepared,
  reply: Reply,
  switches: GlmSwitches,
  style: ErrorStyle,
): Promise<void> {
  const { said, fault, search, model } = prepared;
  const plain = reply.sse();
  const sse =
    fault?.id === 'F11.error'
      ? failAfter(plain, fault.after ?? 0, async (broken) => {
          const error = errorBody(
            { code: '1234', about: prepared.id },
            { ...style, shape: 'nested' },
          );
          await broken.event(error, switches.errorEvent === 'named' ? 'error' : undefined);
          await broken.end();
        })
      : plain;
  const chunk = (choice: Dictionary, more: Dictionary): object => ({
    id: prepared.id,
    created: prepared.created,
    model: model.id,
    choices: [{ index: 0, ...choice }],
    ...more,
  });
  const steps = stepsOf(said, {
    always: { role: 'assistant' },
    reasoning: (piece) => ({ reasoning_content: piece }),
    calls: streamsArguments(prepared, switches) ? 'pieces' : 'whole',
    shape: shapeOf(prepared, switches),
    closing: { content: '' },
    fault,
  });
  let sources = search?.sources === 'before' ? sourcesOf(prepared) : {};
  for (const { delta, finish } of steps) {
    if (finish === null) {
      await sse.event(chunk({ delta }, sources));
      sources = {};
      continue;
    }
    const inChoice = fault?.id === 'F7.choice' ? { usage: prepared.usage } : {};
    await sse.event(
      chunk(
        { delta, finish_reason: finish, ...inChoice },
        {
          ...(hidesUsage(prepared) ? {} : { usage: prepared.usage }),
          ...(search?.sources === 'after' ? sourcesOf(prepared) : sources),
          ...(prepared.filter === undefined ? {} : { content_filter: prepared.filter }),
        },
      ),
    );
  }
  await sse.done();
}

const hidesUsage = ({ fault }: Prepared): boolean =>
  fault?.id === 'F7.missing' || fault?.id === 'F7.choice';

function sourcesOf({ search }: Prepared): Dictionary {
  if (search === undefined || search.sources === 'none' || search.found.length === 0) return {};
  return { web_search: search.found.map(resultOf) };
}

const shapeOf = ({ id }: Prepared, switches: GlmSwitches): CallShape => ({
  id: (index) => `call_${id}_${index}`,
  index: 'shown',
  arguments: switches.toolArguments,
});

function streamsArguments({ body, model }: Prepared, { toolStream }: GlmSwitches): boolean {
  if (body['tool_stream'] !== true) return false;
  if (toolStream === 'only-4.6') return model.id === 'glm-4.6';
  return /^glm-(4\.[67]|5)/.test(model.id);
}
