import { wildcardMatcher } from '../text/wildcard.ts';

/**
 * Tools of known servers that only read. It counts where a server does not say so itself: an
 * annotation of the server is not overruled.
 */
const READING: Readonly<Record<string, readonly string[]>> = {
  composio: [
    'COMPOSIO_SEARCH_*',
    'COMPOSIO_GET_TOOL_SCHEMAS',
    'COMPOSIO_GET_RECIPE',
    'COMPOSIO_WAIT_FOR_CONNECTIONS',
    'RUBE_SEARCH_TOOLS',
    'RUBE_GET_TOOL_SCHEMAS',
  ],
  edgartools: [
    'edgar_company',
    'edgar_compare',
    'edgar_filing',
    'edgar_fund',
    'edgar_monitor',
    'edgar_notes',
    'edgar_ownership',
    'edgar_proxy',
    'edgar_read',
    'edgar_screen',
    'edgar_search',
    'edgar_text_search',
    'edgar_trends',
  ],
  local_toolkit: ['read_local_file', 'list_directory', 'web_reader', 'webReader'],
  memory: ['read_graph', 'search_nodes', 'open_nodes'],
  zai_vision: [
    'ui_to_artifact',
    'extract_text_from_screenshot',
    'diagnose_error_screenshot',
    'understand_technical_diagram',
    'analyze_data_visualization',
    'ui_diff_check',
    'analyze_image',
    'analyze_video',
  ],
};

const MATCHERS = new Map(
  Object.entries(READING).map(([server, tools]) => [server, tools.map(wildcardMatcher)]),
);

/** Whether we know of a tool that it only reads. */
export function isStatedReading(server: string, tool: string): boolean {
  return MATCHERS.get(server)?.some((matches) => matches(tool)) ?? false;
}
