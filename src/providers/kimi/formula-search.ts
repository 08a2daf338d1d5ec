import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Citation } from '#core/llm/chat.ts';
import type { ProviderContext } from '#core/llm/provider.ts';
import { notice } from '#core/messages/notices.ts';
import type { OpenAiClient } from '../openai-compatible/openai-client.ts';
import { asList, asObject, asText } from '../openai-compatible/response/json.ts';
import { said, type SearchFunctions } from './search-functions.ts';

/** The path of Kimi's search among its Formula tools. */
const PATH = '/formulas/moonshot/web-search:latest';
const MAX_CITATIONS = 50;
const HIDDEN = notice('search_sources_hidden', { model: 'Kimi' });

/**
 * Kimi's Formula search: its definitions are fetched and given to the model as functions, and its
 * calls are run by Kimi (`fibers`). An output that is encrypted for the model names no sources.
 */
export async function loadFormulaSearch(
  client: OpenAiClient,
  context: ProviderContext,
): Promise<SearchFunctions> {
  const list = { operation: 'search', method: 'GET', path: `${PATH}/tools` } as const;
  const { json } = await client.call(list, context);
  const tools = asList(asObject(json)?.['tools']).flatMap((each) => {
    const tool = asObject(each);
    return tool && nameOf(tool as JsonObject) !== undefined ? [tool as JsonObject] : [];
  });
  if (tools.length === 0) {
    throw new CallError('bad_response', 'Kimi listed no functions of its Formula search.', {
      provider: 'kimi',
    });
  }
  return {
    tools,
    keepsFilters: false,
    names: tools.flatMap((tool) => nameOf(tool) ?? []),
    async run({ name, arguments: text }, within) {
      const body = { name, arguments: text };
      const call = { operation: 'search', method: 'POST', path: `${PATH}/fibers`, body } as const;
      try {
        return readFiber((await client.call(call, within)).json);
      } catch (thrown) {
        within.signal.throwIfAborted();
        return failed(CallError.from(thrown).message);
      }
    },
  };
}

function nameOf(tool: JsonObject): string | undefined {
  return asText(asObject(tool['function'])?.['name']);
}

function readFiber(json: unknown) {
  const fiber = asObject(json);
  const context = asObject(fiber?.['context']);
  const output = asText(context?.['output']);
  const encrypted = asText(context?.['encrypted_output']);
  if (fiber?.['status'] !== 'succeeded' || (output ?? encrypted) === undefined) {
    const why = asText(fiber?.['error']) ?? asText(context?.['error']);
    return failed(why ?? 'Kimi gave no output.');
  }
  if (output === undefined) return { ...said(encrypted ?? ''), notices: [HIDDEN] };
  return { ...said(output), citations: addressesIn(output) };
}

function failed(message: string) {
  return {
    ...said(`The search failed: ${message} Say in the answer that it was not searched.`),
    notices: [notice('search_failed', { message: 'Kimi could not run it.' })],
  };
}

/** The addresses that an output names. It has no documented form. */
function addressesIn(output: string): readonly Citation[] {
  const found = output.match(/https?:\/\/[^\s<>"'()[\]]+/gi) ?? [];
  const urls = [...new Set(found.map((url) => url.replace(/[.,;:]+$/, '')))];
  return urls.slice(0, MAX_CITATIONS).map((url) => ({ title: url, url }));
}
