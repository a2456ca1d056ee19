// C7, settings: all writable fields of a project, and its deletion.
import type { ComponentChildren } from 'preact'
import { go, type ScreenProps, toHref } from '../address.ts'
import { ApiError, renameFields } from '../api.ts'
import { readField, useEdit, withField } from '../changes.ts'
import { useLoad } from '../load.ts'
import { ConfirmButton } from '../parts/dialog.tsx'
import {
  ChoiceField,
  Form,
  LinesField,
  NumberField,
  readLines,
  SwitchField,
  TextField,
} from '../parts/form.tsx'
import { Failure, Head, Waiting } from '../parts/notices.tsx'
import { RowsField } from '../parts/rows-field.tsx'
import { say } from '../parts/toasts.tsx'
import { readProjects } from '../projects.ts'
import type { Project, ProjectConfig } from '../rows.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'
import { ScheduleField } from './schedule-field.tsx'

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const { value, error, reload } = useLoad(
    (signal) => api.get<Project>(projectPath(slug), {}, signal),
    [slug],
  )
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  return (
    <section>
      <Head title="Settings" about={`Project ${value.slug} · ${value.uuid}`} />
      <Settings slug={slug} project={value} />
      {may('projects_delete') && <Deletion slug={slug} name={value.name} />}
    </section>
  )
}

type Writable = Pick<Project, 'name' | 'is_private' | 'whitelabel' | 'allowed_domains' | 'config'>

function toForm(answer: unknown): Writable {
  const { name, is_private, whitelabel, allowed_domains, config } = answer as Project
  const { chat, mcp, prompt, sync, retention_days } = config
  const filters = config.search.filters.map(({ title, url }) => ({ title, url }))
  const groups = { chat, search: { filters }, mcp, prompt, sync, retention_days }
  return { name, is_private, whitelabel, allowed_domains, config: groups as Writable['config'] }
}

/** Empty texts become null. Drops empty lines. */
function toSent({ allowed_domains, config, ...rest }: Writable): Writable {
  const orNull = (text: string | null) => (text?.trim() ? text : null)
  const { chat, mcp, prompt, sync } = config
  return {
    ...rest,
    allowed_domains: readLines(allowed_domains),
    config: {
      ...config,
      chat: {
        ...chat,
        initial_message: orNull(chat.initial_message),
        suggested_questions: readLines(chat.suggested_questions),
      },
      mcp: { ...mcp, server_name: orNull(mcp.server_name), metadata_tag: orNull(mcp.metadata_tag) },
      prompt: { ...prompt, extend: orNull(prompt.extend) },
      sync: { schedule: orNull(sync.schedule) },
    },
  }
}

const actionsField = 'config.chat.actions'

function Settings({ slug, project }: { slug: string; project: Project }) {
  const path = projectPath(slug)
  const { draft, setDraft, isChanged, save } = useEdit<Writable>({
    ...{ path, opened: project, toForm },
    async writeApart(changes) {
      const actions = changes.get(actionsField)
      changes.delete(actionsField)
      if (actions === undefined) return
      await api.post(projectPath(slug, 'chat-actions/'), { actions }).catch((error: ApiError) => {
        const rename = (name: string) => `config.chat.${name}`
        const fields = Object.entries(error.fields).map(([name, each]) => [rename(name), each])
        const message = renameFields(error, rename)
        throw new ApiError(error.status, message, error.code, Object.fromEntries(fields))
      })
    },
  })
  /** Properties that all fields share. */
  const field = <Value,>(name: string, label: string) => ({
    ...{ name, label, value: readField(draft, name) as Value },
    onChange: (value: Value) => setDraft(withField(draft, name, value)),
  })
  const text = (name: string, label: string) => {
    const { value, ...rest } = field<string>(name, label)
    return { ...rest, value: value ?? '' }
  }

  async function send() {
    const saved = await save(toSent(draft))
    if (saved === null) return say('Nothing was changed.')
    say('The settings were saved.')
    await readProjects()
  }

  return (
    <Form
      submit="Save"
      onSubmit={send}
      actions={isChanged && <span class="quiet">There are changes that are not saved.</span>}
    >
      <Group title="Project">
        <TextField {...text('name', 'Name')} hint="What readers see." />
        <SwitchField
          {...field('is_private', 'Private')}
          hint="Searching and asking need a key. Without it, everybody who knows the address may."
        />
        <LinesField
          {...field('allowed_domains', 'Allowed domains')}
          placeholder="docs.example.com"
          hint="Hosts whose pages may chat without a key, one per line: docs.example.com, or *.example.com for all below it. Empty: any."
        />
        <SwitchField {...field('whitelabel', 'Hide Lectern’s name in the widget')} />
      </Group>
      <Group title="Syncs">
        <ScheduleField {...text('config.sync.schedule', 'Schedule')} />
      </Group>
      <Group title="Search">
        <RowsField
          {...field<{ title: string; url: string }[]>('config.search.filters', 'Filters')}
          one="Filter"
          hint="A reader who chooses one finds only pages whose address matches its pattern, a regular expression in RE2 syntax without regard to case."
          texts={{
            title: { label: 'Title' },
            url: { label: 'Pattern of addresses', placeholder: '/guide/' },
          }}
        />
      </Group>
      <Group title="Chat">
        <TextField
          {...text('config.chat.initial_message', 'Greeting')}
          lines={3}
          hint="What the assistant says before the first question. Empty: the widget’s own."
        />
        <LinesField
          {...field('config.chat.suggested_questions', 'Suggested questions')}
          hint="One per line, at most 20."
        />
        <SwitchField
          {...field('config.chat.think_mode', 'Think before answering')}
          hint="Answers take longer: up to three rounds of search, and reasoning asked of the model."
        />
        <RowsField
          {...field<ProjectConfig['chat']['actions']>(actionsField, 'Buttons below answers')}
          one="Button"
          hint="Links such as “Contact support”, which readers see below each answer; at most 20."
          texts={{
            name: { label: 'Name' },
            button_text: { label: 'Label' },
            url: { label: 'Leads to', placeholder: 'https://example.com/support' },
          }}
        />
      </Group>
      <Group title="Prompt">
        <SwitchField
          {...field('config.prompt.use_default', 'Use the built-in prompt')}
          hint="Without it, the instructions below stand alone."
        />
        <ChoiceField
          {...field('config.prompt.version', 'Version')}
          options={[
            ['v1', 'v1: helpful and free'],
            ['v2', 'v2: strictly from the passages'],
            ['v3', 'v3: as v2, and says how sure it is'],
          ]}
        />
        <TextField
          {...text('config.prompt.extend', 'Instructions')}
          lines={5}
          hint="Added to the built-in prompt."
        />
      </Group>
      <Group title="Agents (MCP)">
        <SwitchField
          {...field('config.mcp.enabled', 'Serve the documentation over MCP')}
          hint="Coding assistants search and read it."
        />
        <TextField {...text('config.mcp.server_name', 'Server name')} hint="Empty: the project’s name." />
        <TextField
          {...text('config.mcp.metadata_tag', 'Tag')}
          hint="Stored with conversations that agents begin."
        />
      </Group>
      <Group title="Retention">
        <NumberField
          {...field<number | null>('config.retention_days', 'Days')}
          hint="Chats, searches and clicks are erased after so many days. Empty: never."
        />
      </Group>
    </Form>
  )
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="card">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

function Deletion({ slug, name }: { slug: string; name: string }) {
  async function remove() {
    await api.delete(projectPath(slug))
    say(`The project ${name} was deleted.`)
    await readProjects()
    go(toHref(''))
  }
  return (
    <div class="card">
      <h2>Delete the project</h2>
      <div>
        <ConfirmButton label="Delete the project" title={`Delete ${name}?`} onConfirm={remove}>
          <p>
            Its sources, pages, conversations and analytics are deleted at once. Widgets that name the project
            stop working. It cannot be undone.
          </p>
        </ConfirmButton>
      </div>
    </div>
  )
}
