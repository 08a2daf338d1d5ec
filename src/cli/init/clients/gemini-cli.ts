import { commandEntry, type InitClient } from '../client.ts';
import { inHome, pathFrom, pathsOf } from '../machine.ts';

// https://geminicli.com/docs/reference/configuration. Others keep things in ~/.gemini, too, so that the folder alone proves nothing.
// It takes the comments out and reads the rest as JSON, so that a trailing comma stops it, as 0.61.0 was seen to.
export const geminiCli: InitClient = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  format: 'json-comments',
  place(machine) {
    const root = pathFrom(machine, 'GEMINI_CLI_HOME') ?? inHome(machine);
    const inFolder = (name: string) => pathsOf(machine).join(root, '.gemini', name);
    return {
      files: [inFolder('settings.json')],
      signs: [inFolder('settings.json'), inFolder('projects.json')],
    };
  },
  member: () => ['mcpServers', 'exai'],
  entry: commandEntry,
  mode: 0o644,
  startedFrom: 'shell',
  next: 'Start Gemini CLI anew in a folder that it trusts; /mcp lists exai.',
};
