import { createSharedExtraction } from '../../src/app/files/shared-extraction.ts';
import { createWebPages } from '../../src/app/reading/web-pages.ts';
import { systemClock } from '#app/system.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import type { WebPages } from '#core/extract/web-page.ts';
import type { PageStore } from '#core/stores/pages.ts';
import type { Store } from '#core/stores/store.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import { webTools } from '#tools/web/index.ts';
import { createHttp } from '#net/create-http.ts';
import { NO_NETWORK } from '../../src/net/net.fixture.ts';
import type { AskRig } from './ask-under-test.ts';

export interface WebCalled {
  readonly result?: ToolResult;
  readonly error?: CallError;
}

export interface Reading {
  readonly pages: WebPages;
  close(): Promise<void>;
}

const NO_PAGES: PageStore = {
  get: async () => undefined,
  save: async () => undefined,
  confirm: async () => undefined,
};

/** Pages read through the real network, guard and extractor. `failure`: every request fails so. */
export function openReading(allowPrivate: readonly string[], failure?: CallError): Reading {
  const extraction = createSharedExtraction(systemClock);
  const http = createHttp({
    guard: 'public',
    network: { ...NO_NETWORK, allowPrivate },
    clock: systemClock,
  });
  const pages = createWebPages({
    store: { pages: NO_PAGES } as Store,
    clock: systemClock,
    extraction,
    loaded: { config: { network: { allowPrivate } } } as unknown as LoadedConfig,
    withPublicHttp: async (work) => {
      if (failure) throw failure;
      return work(http);
    },
  });
  return {
    pages,
    async close() {
      await Promise.all([extraction.close(), http.close()]);
    },
  };
}

/** Calls the tools for the web on a real manager. */
export function webToolsOf(
  rig: AskRig,
  { pages }: Pick<Reading, 'pages'>,
  options: { readonly deadlineMs?: number } = {},
) {
  const tools = webTools({ web: rig.web, webPages: pages, clock: systemClock });
  return async function call(
    name: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<WebCalled> {
    const tool = tools.find((each) => each.name === name) as Tool;
    const context = { ...rig.by({ tool: name, ...options }), args } as unknown as ToolContext;
    try {
      return { result: (await tool.run(tool.parse(args), context)) as ToolResult };
    } catch (thrown) {
      return { error: CallError.from(thrown) };
    }
  };
}
