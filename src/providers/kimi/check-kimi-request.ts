import { CallError } from '#core/call-error.ts';
import type { ChatRequest } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import type { Model } from '#models/model.ts';
import { cannotTake } from '../wire/cannot-take.ts';

const MAX_STOP_BYTES = 32;

/** Refuses what Kimi in particular would refuse, where nothing can be left out instead. */
export function checkKimiRequest(request: ChatRequest, model: Model): void {
  checkStops(request.stop ?? []);
  checkToolNames(request);
  checkToolCount(request, model);
  checkFormat(request, model);
  checkPrefix(request);
}

function checkStops(stops: readonly string[]): void {
  for (const [index, stop] of stops.entries()) {
    const bytes = Buffer.byteLength(stop);
    if (bytes > 0 && bytes <= MAX_STOP_BYTES) continue;
    const message =
      bytes === 0
        ? 'A stop text is empty.'
        : `A stop text has ${bytes} bytes; Kimi takes ${MAX_STOP_BYTES}.`;
    const fix = `Use 1 to ${MAX_STOP_BYTES} bytes of UTF-8.`;
    throw (bytes === 0 ? refuse : cannotTake)(`stop[${index}]`, message, fix);
  }
}

function checkToolNames({ tools = [] }: ChatRequest): void {
  const index = tools.findIndex(({ name }) => !/^[A-Za-z_]/.test(name));
  if (index === -1) return;
  const message = 'Kimi takes only names of tools that begin with a letter or _.';
  throw cannotTake(`tools[${index}].name`, message, 'Call it something else.');
}

function checkToolCount({ tools = [], webSearch }: ChatRequest, model: Model): void {
  if (!webSearch || tools.length < model.maxTools) return;
  const message = `Its own search is a tool as well, and Kimi takes ${model.maxTools} of them.`;
  throw cannotTake('tools', message, 'Send one tool less, or do without the search.');
}

function checkFormat({ responseFormat, continuation }: ChatRequest, model: Model): void {
  if (!responseFormat) return;
  if (continuation === 'prefix') {
    const message = 'Kimi cannot go on with an answer and be held to JSON at the same time.';
    throw refuse('responseFormat', message, 'Leave out one of the two.');
  }
  if (model.json === 'none') {
    const message = `${model.title} cannot be held to JSON.`;
    throw cannotTake('responseFormat', message, 'Choose another model, or `auto`.');
  }
  if (responseFormat.type === 'json_schema' && !mayBeObject(responseFormat.schema)) {
    const message = 'Kimi answers with an object, and the schema wants something else.';
    const fix = 'Put what is wanted into an object, as one of its properties.';
    throw cannotTake('responseFormat.schema', message, fix);
  }
}

function mayBeObject({ type }: JsonObject): boolean {
  return (
    type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
  );
}

function checkPrefix({ continuation, messages }: ChatRequest): void {
  const last = messages.at(-1);
  if (continuation !== 'prefix' || last?.role !== 'assistant') return;
  if ((last.toolCalls ?? []).length === 0) return;
  const message = 'An answer that called tools is over; there is nothing to go on with.';
  throw refuse('continuation', message, 'Add the results of the tools instead.');
}

function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}
