// C7, settings: every field of a project that can be written, and its deletion.
import type { ComponentChildren } from 'preact'
import { go, type ScreenProps, toHref } from '../address.ts'
import { useEdit } from '../changes.ts'
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
import { say } from '../parts/toasts.tsx'
import { readProjects } from '../projects.ts'
import type { Project, ProjectConfig } from '../rows.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'
import { FilterRows } from './filter-rows.tsx'
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

type Writable = Pick<Project, 'name' | 'is_private' | 'whitelabel' | 'allowed_domains'> & {
  config: Omit<ProjectConfig, 'chat'> & { chat: Omit<ProjectConfig['chat'], 'actions'> }
}

function toForm(answer: unknown): Writable {
  const { name, is_private, whitelabel, allowed_domains, config } = answer as Project
  const { actions: _, ...chat } = config.chat
  const { mcp, prompt, sync, retention_days } = config
  const filters = config.search.filters.map(({ title, url }) => ({ title, url }))
  const groups = { chat, search: { filters }, mcp, prompt, sync, retention_days }
  return { name, is_private, whitelabel, allowed_domains, config: groups as Writable['config'] }
}

/** Empty texts are null, empty lines are left out. */
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

type GroupName = 'chat' | 'search' | 'mcp' | 'prompt' | 'sync'

function Settings({ slug, project }: { slug: string; project: Project }) {
  const path = projectPath(slug)
  const { draft, setDraft, isChanged, save } = useEdit<Writable>({ path, opened: project, toForm })
  const { config } = draft
  const set = (change: Partial<Writable>) => setDraft({ ...draft, ...change })
  const setConfig = (change: Partial<Writable['config']>) => set({ config: { ...config, ...change } })
  /** `field('chat', 'think_mode', 'Think')`: what a field of a group has in common with the others. */
  function field<G extends GroupName, F extends keyof Writable['config'][G] & string>(
    group: G,
    name: F,
    label: string,
  ) {
    type Value = Writable['config'][G][F]
    return {
      name: `config.${group}.${name}`,
      label,
      value: config[group][name] as Value,
      onChange: (value: Value) => setConfig({ [group]: { ...config[group], [name]: value } } as never),
    }
  }
  const text = <G extends GroupName, F extends keyof Writable['config'][G] & string>(
    group: G,
    name: F,
    label: string,
  ) => {
    const { value, onChange, ...frame } = field(group, name, label)
    return { ...frame, value: (value ?? '') as string, onChange: onChange as (value: string) => void }
  }

  async function send() {
    const saved = await save(toSent(draft))
    if (saved === null) return say('Nothing was changed.')
    say('The settings were saved.')
    await readProjects()
  }

  return (
    <Form submit="Save" onSubmit={send}>
      <Group title="Project">
        <TextField
          name="name"
          label="Name"
          value={draft.name}
          onChange={(name) => set({ name })}
          hint="What readers see."
        />
        <SwitchField
          name="is_private"
          label="Private"
          value={draft.is_private}
          onChange={(is_private) => set({ is_private })}
          hint="Searching and asking need a key. Without it, everybody who knows the address may."
        />
        <LinesField
          name="allowed_domains"
          label="Allowed domains"
          placeholder="docs.example.com"
          value={draft.allowed_domains}
          onChange={(allowed_domains) => set({ allowed_domains })}
          hint="Hosts whose pages may chat without a key, one a line: docs.example.com, or *.example.com for all below it. Empty: any."
        />
        <SwitchField
          name="whitelabel"
          label="Hide Lectern’s name in the widget"
          value={draft.whitelabel}
          onChange={(whitelabel) => set({ whitelabel })}
        />
      </Group>
      <Group title="Syncs">
        <ScheduleField
          value={config.sync.schedule ?? ''}
          onChange={(schedule) => setConfig({ sync: { schedule } })}
        />
      </Group>
      <Group title="Search">
        <FilterRows
          value={config.search.filters}
          onChange={(filters) => setConfig({ search: { filters: filters as never } })}
        />
      </Group>
      <Group title="Chat">
        <TextField
          {...text('chat', 'initial_message', 'Greeting')}
          lines={3}
          hint="What the assistant says before the first question. Empty: the widget’s own."
        />
        <LinesField
          {...field('chat', 'suggested_questions', 'Suggested questions')}
          hint="One a line, at most 20."
        />
        <SwitchField
          {...field('chat', 'think_mode', 'Think before answering')}
          hint="Answers take longer: up to three rounds of search, and reasoning asked of the model."
        />
      </Group>
      <Group title="Prompt">
        <SwitchField
          {...field('prompt', 'use_default', 'Use the built-in prompt')}
          hint="Without it, the instructions below stand alone."
        />
        <ChoiceField
          {...field('prompt', 'version', 'Version')}
          options={[
            ['v1', 'v1: helpful and free'],
            ['v2', 'v2: strictly from the passages'],
            ['v3', 'v3: as v2, and says how sure it is'],
          ]}
        />
        <TextField
          {...text('prompt', 'extend', 'Instructions')}
          lines={5}
          hint="Added to the built-in prompt."
        />
      </Group>
      <Group title="Agents (MCP)">
        <SwitchField
          {...field('mcp', 'enabled', 'Serve the documentation over MCP')}
          hint="Coding assistants search and read it."
        />
        <TextField {...text('mcp', 'server_name', 'Server name')} hint="Empty: the project’s name." />
        <TextField
          {...text('mcp', 'metadata_tag', 'Tag')}
          hint="Stored with conversations that agents begin."
        />
      </Group>
      <Group title="Retention">
        <NumberField
          name="config.retention_days"
          label="Days"
          value={config.retention_days}
          onChange={(retention_days) => setConfig({ retention_days })}
          hint="Chats, searches and clicks are erased after so many days. Empty: never."
        />
      </Group>
      {isChanged && <p class="quiet">There are changes that are not saved.</p>}
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
