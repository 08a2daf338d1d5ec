/** One entry of `files`: where a file comes from. Forms may be mixed. */
export type FileInput =
  /** A path, a folder, a glob pattern, a data URL, or the URI of a stored file. */
  | string
  /** The content itself, as base64. */
  | { readonly filename: string; readonly content: string; readonly mime_type?: string }
  | { readonly name: string; readonly text: string }
  /** An MCP resource of ours, or one that the client embeds. */
  | {
      readonly uri: string;
      readonly name?: string;
      readonly blob?: string;
      readonly text?: string;
      readonly mimeType?: string;
    }
  /** A stored file of the caller, or a file that it uploaded to a provider. */
  | { readonly file_id: string };

const SCHEME = 'exai://files/';

/** The MCP resource URI of a stored file, which conversations keep. */
export function fileUri(id: string): string {
  return `${SCHEME}${id}`;
}

/** The id of a stored file; undefined for any other text. */
export function fileIdOf(uri: string): string | undefined {
  return uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : undefined;
}
