import { notice, type Notice } from '#core/messages/notices.ts';
import type { ResponseStore, StoredResponse } from '#core/stores/responses.ts';
import type { FinishedChat, ParsedChat } from '../gateway/dialect.ts';
import type { JsonFields } from '../gateway/fields.ts';
import { responseId } from './ids.ts';
import { resolveReferences, storedItems, toStoredInput } from './input-items.ts';
import { readItemMessages } from './messages.ts';
import { outputItems } from './output-items.ts';
import type { ResponsesRequest } from './request.ts';
import { finishResponse, openResponse } from './response-object.ts';
import { createResponsesStreamWriter, type ResponsesStreamWriter } from './stream-writer.ts';

/** Stored responses that a request needs. */
export interface StoredContext {
  /** The chain that it continues, oldest first. */
  readonly previous: readonly StoredResponse[];
  /** Responses whose items its input refers to. */
  readonly referenced: readonly StoredResponse[];
}

export interface RespondOptions {
  readonly store: Pick<ResponseStore, 'save'>;
  readonly principal: string;
}

/** A larger input is not stored, so that a few requests cannot fill the disk. */
const MAX_STORED_CHARS = 8_388_608;

/** Makes the chat of a request, and stores its response when it is finished. */
export function toResponsesChat(
  request: ResponsesRequest,
  stored: StoredContext,
  { store, principal }: RespondOptions,
): ParsedChat {
  const items = resolveReferences(request.items, stored.referenced);
  const earlier = stored.previous.flatMap(storedItems);
  const { messages, notices: messageNotices } = readItemMessages([...earlier, ...items]);
  const notices: Notice[] = [...request.notices, ...messageNotices];
  let writer: ResponsesStreamWriter | undefined;
  let response: JsonFields | undefined;

  function complete(finished: FinishedChat): JsonFields {
    const { reqId, atMs, answer } = finished;
    const [choice] = answer.choices;
    const id = responseId(reqId);
    const head = { id, createdAtMs: atMs, model: choice?.model ?? 'auto' };
    const { reasoning, tools } = request;
    const output =
      writer?.finishItems(finished) ??
      (choice ? outputItems(choice, id, reasoning, tools.binding) : []);
    return finishResponse(writer?.open ?? openResponse(head, request), {
      finished,
      output,
      notices,
    });
  }

  async function save(finished: FinishedChat): Promise<void> {
    response = complete(finished);
    const id = responseId(finished.reqId);
    const input = JSON.stringify(toStoredInput(items, id));
    const problem =
      input.length > MAX_STORED_CHARS ? 'too_large' : await saved({ id, input, response });
    if (problem === undefined) return;
    notices.push(notice('response_not_stored', { reason: problem }));
    response = { ...complete(finished), store: false };
  }

  /** The answer is paid for, so it is sent even if the store fails. */
  async function saved(what: {
    readonly id: string;
    readonly input: string;
    readonly response: JsonFields;
  }): Promise<'failed' | undefined> {
    try {
      const previousId = request.previousId ?? null;
      const { id, input } = what;
      await store.save({
        id,
        principal,
        previousId,
        input,
        response: JSON.stringify(what.response),
      });
      return undefined;
    } catch {
      // The store logs the cause; the notice tells the client.
      return 'failed';
    }
  }

  const finishedResponse = (finished: FinishedChat) => (response ??= complete(finished));
  return {
    chat: { ask: { ...request.ask, messages }, choices: 1 },
    delivery: request.delivery,
    ...(request.store && { save }),
    renderResponse: (finished) => JSON.stringify(finishedResponse(finished)),
    createWriter: () => (writer = createResponsesStreamWriter(request, finishedResponse)),
  };
}
