import type { Resource } from '#core/resource.ts';
import { ICON } from '../icon.ts';
import { usableBy, type Catalogue } from './catalogue.ts';

/** Touched whenever the tools change. */
export const TOOL_INDEX_URI = 'exai://tools';
const MIME_TYPE = 'application/json';

/** Every tool that the reader may use, also those that `tools/list` leaves out, without their schemas. */
export function toolIndex(catalogue: Catalogue): Resource {
  return {
    uri: TOOL_INDEX_URI,
    tellsChanges: true,
    name: 'tools',
    title: 'Tools',
    description:
      'Every tool you may use, those left out of tools/list included. exai://tools/{name} has the definition.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'status',
    read({ caller }) {
      const { version } = catalogue.list(caller);
      const tools = usableBy(caller, catalogue).map(({ tool, listed }) => {
        const { name, title, description, tier, profile } = tool;
        return { name, title, description, tier, profile, listed };
      });
      return [
        {
          uri: TOOL_INDEX_URI,
          mimeType: MIME_TYPE,
          text: JSON.stringify({ version, count: tools.length, tools }),
        },
      ];
    },
  };
}
