import type { Dictionary } from '../is-object.ts';
import type { ComposioTool } from './toolkits.ts';

const text = (description: string, more: Dictionary = {}): Dictionary => ({
  type: 'string',
  description,
  ...more,
});
const flag = (description: string): Dictionary => ({ type: 'boolean', description });
const texts = (description: string): Dictionary => ({
  type: 'array',
  items: { type: 'string' },
  description,
});
const input = (properties: Dictionary, required: readonly string[] = []): Dictionary => ({
  type: 'object',
  title: 'Request',
  properties,
  required,
});
const FILE: Dictionary = {
  type: 'object',
  title: 'FileUploadable',
  description: 'A file that was uploaded for this tool.',
  file_uploadable: true,
  properties: { name: text('Its name.'), mimetype: text('Its type.'), s3key: text('Its key.') },
  required: ['name', 'mimetype', 's3key'],
};
const READS = ['readOnlyHint', 'important'];

/** The tools that the seeds name, a few beside them, and those of the code interpreter. */
export const APP_TOOLS: readonly ComposioTool[] = [
  {
    slug: 'COMPOSIO_SEARCH_NEWS',
    toolkit: 'composio_search',
    name: 'News search',
    description: 'Searches for the latest news articles by a query.',
    input: input(
      {
        query: text('What to search for.'),
        when: text('How old news may be.', { enum: ['d', 'w', 'm', 'y'] }),
        gl: text('Country.'),
        hl: text('Language.'),
      },
      ['query'],
    ),
    tags: READS,
  },
  {
    slug: 'COMPOSIO_SEARCH_WEB',
    toolkit: 'composio_search',
    name: 'Web search',
    description: 'Searches the web and answers with citations.',
    input: input({ query: text('What to search for.') }, ['query']),
    tags: READS,
  },
  {
    slug: 'COMPOSIO_SEARCH_FETCH_URL_CONTENT',
    toolkit: 'composio_search',
    name: 'Fetch the content of a URL',
    description: 'Gets the text of web pages. `bytes` of the query is how much of it comes.',
    input: input({ urls: texts('The pages.') }, ['urls']),
    tags: READS,
  },
  {
    slug: 'GMAIL_SEND_EMAIL',
    toolkit: 'gmail',
    name: 'Send email',
    description: 'Sends an email from the account of the user through Gmail.',
    input: input({
      recipient_email: text('Who gets it.'),
      extra_recipients: texts('Further recipients.'),
      cc: texts('Who gets a copy.'),
      bcc: texts('Who gets a hidden copy.'),
      subject: text('Its subject.'),
      body: text('Its text.'),
      is_html: flag('Whether the body is HTML.'),
      user_id: text('The account.', { default: 'me' }),
      attachment: FILE,
    }),
    tags: ['important', 'openWorldHint'],
  },
  {
    slug: 'GMAIL_FETCH_EMAILS',
    toolkit: 'gmail',
    name: 'Fetch emails',
    description: 'Lists emails of the inbox by a query.',
    input: input({
      query: text('A Gmail search.'),
      max_results: { type: 'integer', description: 'How many.', default: 1 },
    }),
    tags: READS,
  },
  {
    slug: 'OUTLOOK_SEND_EMAIL',
    toolkit: 'outlook',
    name: 'Send email',
    description: 'Sends an email through Outlook.',
    input: input(
      {
        to_email: text('Who gets it.'),
        to_name: text('Their name.'),
        cc_emails: texts('Who gets a copy.'),
        bcc_emails: texts('Who gets a hidden copy.'),
        subject: text('Its subject.'),
        body: text('Its text.'),
        is_html: flag('Whether the body is HTML.'),
        user_id: text('The account.', { default: 'me' }),
        attachment: FILE,
      },
      ['to_email', 'subject', 'body'],
    ),
    tags: ['important', 'openWorldHint'],
  },
  {
    slug: 'SLACK_SEND_MESSAGE',
    toolkit: 'slack',
    name: 'Send message',
    description: 'Posts a message to a channel, a person or a group in Slack.',
    input: input(
      {
        channel: text('Its id or name.'),
        markdown_text: text('The message in Markdown.'),
        text: text('The message as plain text, where there is no markdown_text.'),
        thread_ts: text('The message that it answers.'),
      },
      ['channel'],
    ),
    tags: ['important', 'openWorldHint'],
  },
  {
    slug: 'GITHUB_CREATE_AN_ISSUE',
    toolkit: 'github',
    name: 'Create an issue',
    description: 'Creates an issue in a GitHub repository.',
    input: input(
      {
        owner: text('The owner of the repository.'),
        repo: text('Its name.'),
        title: text('Title of the issue.'),
        body: text('Text of the issue.'),
        labels: texts('Labels.'),
      },
      ['owner', 'repo', 'title'],
    ),
    tags: ['important'],
  },
  {
    slug: 'GITHUB_LIST_REPOSITORY_ISSUES',
    toolkit: 'github',
    name: 'List repository issues',
    description: 'Lists the issues of a GitHub repository.',
    input: input({ owner: text('The owner.'), repo: text('The repository.') }, ['owner', 'repo']),
    tags: READS,
  },
  {
    slug: 'NOTION_CREATE_NOTION_PAGE',
    toolkit: 'notion',
    name: 'Create page',
    description: 'Creates a page below another one in Notion.',
    input: input({ parent_id: text('The page above.'), title: text('Its title.') }, [
      'parent_id',
      'title',
    ]),
    tags: ['important'],
  },
  {
    slug: 'CODEINTERPRETER_CREATE_SANDBOX',
    toolkit: 'codeinterpreter',
    name: 'Create sandbox',
    description: 'Creates a sandbox for code.',
    input: input({ keep_alive: { type: 'integer', description: 'Seconds.', default: 300 } }),
  },
  {
    slug: 'CODEINTERPRETER_EXECUTE_CODE',
    toolkit: 'codeinterpreter',
    name: 'Execute code',
    description: 'Runs Python code in a sandbox.',
    input: input({ code_to_execute: text('The code.'), sandbox_id: text('The sandbox.') }, [
      'code_to_execute',
    ]),
  },
  {
    slug: 'CODEINTERPRETER_RUN_TERMINAL_CMD',
    toolkit: 'codeinterpreter',
    name: 'Run terminal command',
    description: 'Runs a command in a sandbox.',
    input: input({ command: text('The command.'), sandbox_id: text('The sandbox.') }, ['command']),
  },
  {
    slug: 'CODEINTERPRETER_GET_FILE_CMD',
    toolkit: 'codeinterpreter',
    name: 'Get file',
    description: 'Gets a file of a sandbox.',
    input: input({ file_path: text('The file.'), sandbox_id: text('The sandbox.') }, [
      'file_path',
      'sandbox_id',
    ]),
    tags: ['readOnlyHint'],
  },
  {
    slug: 'CODEINTERPRETER_UPLOAD_FILE_CMD',
    toolkit: 'codeinterpreter',
    name: 'Upload file',
    description: 'Writes a file to a sandbox.',
    input: input(
      {
        destination_path: text('Where to.'),
        file: { type: 'object', description: '{name, content: base64}' },
        overwrite: flag('Whether a file there is replaced.'),
        sandbox_id: text('The sandbox.'),
      },
      ['destination_path', 'file', 'sandbox_id'],
    ),
  },
];
