import type { Dictionary } from '../is-object.ts';
import type { ComposioState, Session } from './state.ts';

const PREVIEW_CHARS = 500;
/** The vendor's own. */
export const OFFLOAD_THRESHOLD = 20_000;

export interface Offloaded {
  readonly data_preview: Dictionary;
  readonly remote_file_info: Dictionary;
}

/** The answer of one tool as a file of the workbench, where it is long or that is wanted. */
export function offload(
  state: ComposioState,
  { workbench, offloadThreshold }: Session,
  slug: string,
  data: Dictionary,
  wanted: boolean,
): Offloaded | undefined {
  const json = JSON.stringify(data);
  if (!wanted && json.length <= offloadThreshold) return undefined;
  const path = `/mnt/files/mex/${state.newId(`${slug.toLowerCase()}_`)}.json`;
  workbench.files.set(path, Buffer.from(json));
  return {
    data_preview: { preview: json.slice(0, PREVIEW_CHARS), truncated: json.length > PREVIEW_CHARS },
    remote_file_info: {
      file_path: path,
      size_bytes: Buffer.byteLength(json),
      instructions: 'The full result is in this file. Read it with COMPOSIO_REMOTE_WORKBENCH.',
    },
  };
}
