import { homePaths } from '#config/home/home.ts';
import { loadConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import { UPSTREAM_TRANSPORTS } from '#core/hub/upstream-config.ts';
import { didYouMean } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { setInConfigFile } from '../edit-config-file.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';
import { addBySetting } from '../servers/add-by-setting.ts';
import {
  describeDownload,
  readNewServer,
  requireServerName,
  unknownPreset,
  type NewServerOptions,
} from '../servers/new-server.ts';
import { fillPreset, printMissing, storeTyped, type PresetEntry } from '../servers/preset-entry.ts';
import { findServerPreset, SERVER_PRESETS, type ServerPreset } from '../servers/presets.ts';

const PRESET_IDS = SERVER_PRESETS.map(({ id }) => id);

export const command = defineCommand({
  name: 'servers add',
  summary: 'Add an MCP server behind EX-AI: a preset, a command to start, or a URL',
  about:
    'Its tools are callable as mcp__NAME__TOOL by every client, found with search_tools. The server starts with the first ' +
    'call. Two accounts of one server are two names. Keys are never given here: a preset asks for them; otherwise write ' +
    'NAME=… to EXAI_HOME/.env, and pass on the variable with --env NAME, or refer to it as ${NAME} in a header.\n' +
    '  exai servers add playwright\n' +
    '  exai servers add filesystem ~/documents\n' +
    '  exai servers add github-work --preset github\n' +
    '  exai servers add tickets --env TICKETS_TOKEN npx -y @scope/tickets-mcp@1.2.3\n' +
    "  exai servers add far --url https://example.com/mcp --header 'X-Key: ${FAR_KEY}'\n" +
    'exai servers presets lists the presets.',
  positionals: [
    {
      name: 'name',
      need: 'required',
      help: 'A preset, or any other name: letters, digits, - and _',
      values: PRESET_IDS,
    },
  ],
  rest: {
    name: 'command',
    help: 'The program and its arguments, or those of the preset',
    use: 'passed_on',
  },
  options: {
    preset: { type: 'string', value: 'P', help: 'The preset, if the name is another one' },
    url: { type: 'string', value: 'URL', help: 'Where a running server is reached' },
    type: {
      type: 'string',
      value: 'T',
      help: `${UPSTREAM_TRANSPORTS.join(', ')} (default: by URL)`,
    },
    env: { type: 'texts', value: 'NAME', help: 'Pass on this variable, or NAME=value' },
    header: { type: 'texts', value: 'H', help: "'Name: value' of each request to the URL" },
    cwd: { type: 'string', value: 'DIR', help: 'The folder that the program runs in' },
    yes: { type: 'boolean', short: 'y', help: 'Without asking' },
  },
  async run({ options, positionals, rest = [] }, io) {
    const { name = '' } = positionals;
    requireServerName(name);
    if (Object.hasOwn(loadConfig({ env: io.env }).config.mcpServers, name)) {
      throw new CallError('conflict', `There is an MCP server ${name} already.`, {
        field: 'name',
        fix: `Choose another name, or first: exai servers remove ${name}`,
      });
    }
    const preset = choosePreset(name, options, rest);
    if (preset?.setting !== undefined)
      return addBySetting(preset, { name, words: rest, options }, io);
    if (!preset && rest.length === 0 && options.url === undefined)
      throw unknownPreset(name, PRESET_IDS);
    const filled = preset ? await fillPreset(preset, name, rest, io) : PLAIN;
    const entry = preset
      ? readNewServer(name, options, [], filled.entry)
      : readNewServer(name, options, rest);
    const download = describeDownload(entry);
    for (const note of [...(download === undefined ? [] : [download]), ...filled.notes])
      io.stderr.write(`exai: ${escapeControls(note)}\n`);
    if (download !== undefined && process.stdin.isTTY && !options.yes) {
      await confirm({
        input: process.stdin,
        output: io.stderr,
        question: `Add ${name}?`,
        ifDeclined: 'nothing was added',
      });
    }
    const home = homePaths(io.env);
    const path = `mcpServers.${name}`;
    storeTyped(filled.typed, io);
    setInConfigFile(home, path, entry);
    const paths = Object.keys(entry).map((field) => `${path}.${field}`);
    const reload = await reloadDaemon(io, paths);
    if (options.json) {
      const missing = filled.missing.map(({ variable }) => variable);
      return printRawJson(io, {
        added: name,
        ...(preset && { preset: preset.id }),
        server: entry,
        missing,
        reload: reloadJson(reload),
      });
    }
    io.stdout.write(`Added ${name} to ${home.configFile}. Try it: exai servers restart ${name}\n`);
    printMissing(filled, io);
    for (const line of describeReload(reload, { path: paths[0] ?? path, in: 'config.json' }))
      io.stdout.write(`${line}\n`);
  },
});

const PLAIN: PresetEntry = { entry: {}, typed: new Map(), missing: [], notes: [] };

/** A preset is meant by its name alone, or with a path where it takes paths. */
function choosePreset(
  name: string,
  { preset: named, url }: NewServerOptions & { readonly preset?: string },
  words: readonly string[],
): ServerPreset | undefined {
  if (named !== undefined) {
    const found = findServerPreset(named);
    if (found) return found;
    const near = didYouMean(named, PRESET_IDS) || '.';
    throw new CallError('not_found', `No preset has this name${near}`, {
      field: '--preset',
      fix: 'List them with: exai servers presets',
    });
  }
  const preset = findServerPreset(name);
  if (!preset || url !== undefined) return undefined;
  if (words.length === 0) return preset;
  return preset.arguments && isPath(words[0] ?? '') ? preset : undefined;
}

function isPath(word: string): boolean {
  return /^(?:[./~\\]|[A-Za-z]:[\\/])/.test(word);
}
