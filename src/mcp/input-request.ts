import type { Question } from '#core/question.ts';
import type { Members } from './json-rpc.ts';

/** A question as MCP puts it. `id`: legacy clients want a name for a page that is to be visited. */
export function toRequest(
  question: Question,
  id?: string,
): { readonly method: string; readonly params?: Members } {
  switch (question.is) {
    case 'form': {
      const { message, schema: requestedSchema } = question;
      return { method: 'elicitation/create', params: { message, requestedSchema } };
    }
    case 'visit': {
      const { message, url } = question;
      const params = { mode: 'url', message, url, ...(id !== undefined && { elicitationId: id }) };
      return { method: 'elicitation/create', params };
    }
    case 'sample':
      return { method: 'sampling/createMessage', params: question.request };
    case 'roots':
      return { method: 'roots/list' };
  }
}
