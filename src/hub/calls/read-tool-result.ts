import type { ForeignResult } from '#core/hub/foreign-result.ts';
import type { JsonObject } from '#core/json/json.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { protocolError } from '../connection/rpc-client.ts';

/** Reads the result of `tools/call` without changing what it contains. */
export function readToolResult(server: string, result: JsonObject): ForeignResult {
  const { content = [], structuredContent, isError, _meta: meta } = result;
  if (!Array.isArray(content) || !content.every(isObject)) {
    throw protocolError(server, 'answers a call without a list of content blocks');
  }
  return {
    content: content as readonly JsonObject[],
    ...(isObject(structuredContent) && { structuredContent: structuredContent as JsonObject }),
    isError: isError === true,
    ...(isObject(meta) && { meta: meta as JsonObject }),
  };
}

/** The text of a result: its text blocks, or its data where it has no such block. */
export function textOfResult({ content, structuredContent }: ForeignResult): string {
  const texts = content.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  if (texts.length > 0 || structuredContent === undefined) return texts.join('\n');
  return JSON.stringify(structuredContent);
}

const MAX_LINKS = 100;

/** The addresses of resources in a result. */
export function linksIn({ content }: ForeignResult): readonly string[] {
  const links: string[] = [];
  for (const { type, uri, resource } of content) {
    if (type !== 'resource_link' && type !== 'resource') continue;
    const link = type === 'resource' && isObject(resource) ? resource['uri'] : uri;
    if (typeof link === 'string' && links.length < MAX_LINKS) links.push(link);
  }
  return links;
}
