import type { Resource } from '#core/tools/resource.ts';
import type { Tool } from '#core/tools/tool.ts';
import { ICON } from '../icon.ts';

const URI = 'exai://status';
const MIME_TYPE = 'application/json';

/** The output of the tool `status` as a resource. */
export function statusResource(status: Tool): Resource {
  return {
    uri: URI,
    name: 'status',
    title: 'Status',
    description: 'What EX-AI is doing now: uptime, store, calls, providers, notices.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: status.name,
    async read(context) {
      const answer = await status.run(status.parse({}), context);
      if ('inputRequests' in answer) return answer;
      return [{ uri: URI, mimeType: MIME_TYPE, text: JSON.stringify(answer.content) }];
    },
  };
}
