import type { CallError } from '#core/call-error.ts';
import { codeOf, ERROR_WORDS } from './error-words.ts';

/** What is told of a failed request beside the error. */
export interface ErrorFactsTold {
  readonly req_id: string;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** A failure as OpenAI's clients read it. They keep `error` and drop the rest, so the class stands in both. */
export function errorBody(error: CallError, told: ErrorFactsTold) {
  const { message, fix, field, provider, model } = error;
  const isOfModel = field === 'model' || model !== undefined;
  return {
    error: {
      message: fix === undefined ? message : `${message} ${fix}`,
      type: ERROR_WORDS[error.class].type,
      param: field ?? null,
      code: codeOf(error.class, { provider, of: isOfModel ? 'model' : undefined }),
      class: error.class,
      req_id: told.req_id,
    },
    exai: {
      class: error.class,
      ...told,
      provider: told.provider ?? provider,
      model: told.model ?? model,
    },
  };
}
