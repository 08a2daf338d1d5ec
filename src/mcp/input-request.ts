import type { InputRequest } from '#core/tools/input-request.ts';
import type { Members } from './json-rpc.ts';

/**
 * Converts an input request to an MCP request. `id`: `elicitationId` of a URL request, which legacy
 * clients need.
 */
export function toMcpRequest(
  request: InputRequest,
  id?: string,
): { readonly method: string; readonly params?: Members } {
  switch (request.is) {
    case 'form': {
      const { message, schema: requestedSchema } = request;
      return { method: 'elicitation/create', params: { message, requestedSchema } };
    }
    case 'visit': {
      const { message, url } = request;
      const params = { mode: 'url', message, url, ...(id !== undefined && { elicitationId: id }) };
      return { method: 'elicitation/create', params };
    }
    case 'sample':
      return { method: 'sampling/createMessage', params: request.request };
    case 'roots':
      return { method: 'roots/list' };
  }
}
