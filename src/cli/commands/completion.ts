import { CallError } from '#core/errors/call-error.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { offeredCommands } from '../command-table.ts';
import { defineCommand } from '../command.ts';
import {
  COMPLETION_SHELLS,
  completionScript,
  loadCompletedCommands,
  type CompletionShell,
} from '../completion-scripts.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'completion',
  summary: 'Print a shell completion script',
  about:
    'The script is of this version; write it again after an update. Each shell finds it from its next start on:\n' +
    '  exai completion bash > ~/.local/share/bash-completion/completions/exai\n' +
    '  exai completion zsh > "${fpath[1]}/_exai"\n' +
    '  exai completion fish > ~/.config/fish/completions/exai.fish\n' +
    'For this session alone: source <(exai completion bash)',
  positionals: [{ name: 'shell', need: 'required', help: COMPLETION_SHELLS.join(', ') }],
  home: 'unused',
  async run({ options, positionals }, io) {
    const shell = shellOf(positionals['shell'] ?? '');
    const script = completionScript(shell, await loadCompletedCommands(offeredCommands()));
    if (options.json) printJson(io, { shell, script });
    else io.stdout.write(script);
  },
});

function shellOf(text: string): CompletionShell {
  const found = COMPLETION_SHELLS.find((shell) => shell === text);
  if (found) return found;
  const near = didYouMean(text, COMPLETION_SHELLS) || '.';
  throw new CallError('bad_request', `There is no completion for "${oneLine(text, 40)}"${near}`, {
    field: 'shell',
    fix: `Use one of ${COMPLETION_SHELLS.join(', ')}.`,
  });
}
