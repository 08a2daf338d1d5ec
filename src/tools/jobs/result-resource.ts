import { CallError } from '#core/call-error.ts';
import type { ResourceTemplate } from '#core/resource.ts';
import { RESULT_URI, resultUri } from '#core/results.ts';
import { ICON } from '../icon.ts';
import type { JobToolDeps } from './deps.ts';
import { readResultId } from './read-id.ts';
import { MAX_CHARS } from './read-result.ts';

const MIME_TYPE = 'text/plain';
const MAX_LISTED = 100;

/** An answer that was too long for its client, whole. */
export function resultResource({ results }: Pick<JobToolDeps, 'results'>): ResourceTemplate {
  return {
    uriTemplate: RESULT_URI,
    name: 'result',
    title: 'Long result',
    description: 'All of an answer that was too long; read_result gives it in pieces.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'read_result',
    complete: {
      id: async (value, _args, { principal }) => {
        const found = await results.list(principal, MAX_LISTED);
        return found.map(({ id }) => id).filter((id) => id.includes(value));
      },
    },
    async read({ id: given = '' }, _uri, { caller: { principal }, signal }) {
      const id = readResultId(given, 'uri');
      const pieces: string[] = [];
      for (let offset = 0, chars = 1; offset < chars;) {
        signal.throwIfAborted();
        const part = await results.read(principal, id, offset, MAX_CHARS).catch((thrown) => {
          throw CallError.from(thrown, { field: 'uri' });
        });
        if (part.text === '') break;
        pieces.push(part.text);
        ({ chars } = part);
        offset = part.offset + part.text.length;
      }
      return [{ uri: resultUri(id), mimeType: MIME_TYPE, text: pieces.join('') }];
    },
  };
}
