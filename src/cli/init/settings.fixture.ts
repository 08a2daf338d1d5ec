/**
 * Realistic settings by client: comments, trailing commas, tabs, CRLF, a byte order mark, unknown
 * keys.
 */
export const SETTINGS: Readonly<Record<string, string>> = {
  'claude-code': `{
  "numStartups": 41,
  "installMethod": "native",
  "userID": "9007199254740993",
  "projects": {
    "/home/ada/engine": {
      "allowedTools": [],
      "mcpServers": { "exai": { "command": "another", "args": [] } },
      "history": [{ "display": "fix the \\"mcpServers\\" block }, please" }]
    }
  },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://api.example.com/mcp",
      "headers": { "Authorization": "Bearer ghp_1234567890abcdefghij" }
    }
  },
  "cachedNumber": 1.50e+3
}`,
  'claude-desktop': '{"mcpServers":{"fs":{"command":"npx","args":["-y","fs"]}},"scale":1.0}',
  vscode: [
    '{',
    '\t// Servers of the whole team, see the wiki',
    '\t"inputs": [{ "type": "promptString", "id": "key", "password": true }],',
    '\t"servers": {',
    '\t\t"playwright": {',
    '\t\t\t"command": "npx", // the newest',
    '\t\t\t"args": ["@playwright/mcp@latest"],',
    '\t\t},',
    '\t\t/* "off": { "command": "x" }, */',
    '\t},',
    '}',
    '',
  ].join('\r\n'),
  'vscode-insiders': '{ "servers": {} }\n',
  cursor: `{
    "mcpServers": {
        "db": {
            "command": "uvx",
            "args": ["db-mcp"], "env": { "DB_TOKEN": "t0psecret99" }
        } // the only one
        // more to come
    },
    "__proto__": { "polluted": true }
}
`,
  windsurf: '\uFEFF{\n  "mcpServers": {\n  }\n}\n',
  codex: `# Codex
model = "gpt-5.5" # the usual
approval_policy = "on-request"
notify = [
  "python3",
  "notify.py",
]

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
tool_timeout_sec = 120.0

# Trusted
[projects."/home/ada/engine"]
trust_level = "trusted"
note = '''
[mcp_servers.fake]
'''`,
  'gemini-cli': `{
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  // no servers so far
  "ui": { "theme": "Ayu" } /* dark */
}
`,
  opencode: `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    // "type": "local"
    "jira": { "type": "remote", "url": "https://jira.example.com/mcp", "enabled": false },
  },
  "theme": "system",
}
`,
  zed: `// Zed settings
//
// For information on how to configure Zed, see the documentation.
{
  "telemetry": { "metrics": false },
  "buffer_font_size": 15,
  "context_servers": {
    "some-extension": {
      "settings": { "n": 1e400 }
    }
  },

  // Folds
  "agent": {},
}
`,
  cline: '{\n  "mcpServers": {}\n}',
  augment: '{"mcpServers": {"a": {"command": "a"}}, "model": "x"}',
};
