import { loadWebSocket } from '#app/daemon/load-web-socket.ts';
import { checkWsUrl, insecureOf } from '#app/daemon/daemon-ws-url.ts';
import { keepAlive, system } from '#app/system.ts';
import { runShim } from '#client/shim/run-shim.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  name: 'stdio',
  summary: 'Serve one MCP client on stdin and stdout',
  about:
    'What an IDE starts: it passes messages to the daemon, starts one if there is none, and stays when the daemon ' +
    'is replaced. It writes nothing but MCP to stdout; its log is EXAI_HOME/logs/shim.jsonl.',
  options: {
    url: {
      type: 'string',
      value: 'wss://…',
      help: 'Use the daemon there, with the token of EXAI_TOKEN',
    },
    insecure: {
      type: 'boolean',
      help: 'Allow ws:// to another machine: token and prompts travel unencrypted',
    },
  },
  signals: 'own',
  async run({ options }, { env }) {
    const insecure = insecureOf(env, options.insecure);
    if (options.url !== undefined) checkWsUrl(options.url, insecure);
    const remote = options.url === undefined ? {} : { url: options.url, insecure };
    await keepAlive(runShim({ env, ...remote, loadWebSocket }, system));
  },
});
