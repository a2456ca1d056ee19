// C1: all projects, what needs attention, and the installation.
import { useState } from 'preact/hooks'
import { go, projectHref } from '../address.ts'
import { useLoad } from '../load.ts'
import { Backends, describeDriver } from '../parts/backends.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { Empty, Failure, Head, Waiting } from '../parts/notices.tsx'
import { PlainTable } from '../parts/short-table.tsx'
import { say } from '../parts/toasts.tsx'
import { Dot, formatCount, formatNumber, Meter, RunState, When } from '../parts/values.tsx'
import { readProjects } from '../projects.ts'
import type { EmbeddingProgress, Project, ProjectStatus, Status, SyncRun } from '../rows.ts'
import { api, may } from '../session.ts'

export function Screen() {
  const { value, error, reload } = useLoad(readStatus, [], 5_000)
  const [isCreating, setCreating] = useState(false)
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  const { projects } = value
  return (
    <section>
      <Head title="Overview" about={`${formatCount(projects.length, 'project')} · Lectern ${value.version}`}>
        {may('projects_create') && (
          <button class="primary" type="button" onClick={() => setCreating(true)}>
            New project
          </button>
        )}
      </Head>
      {error && <Failure error={error} onRetry={reload} />}
      <Troubles status={value} />
      {projects.length === 0 ? (
        <Empty title="There are no projects yet">
          <p>
            {may('projects_create')
              ? 'Create one, add the address of a documentation site as its source, and start a sync.'
              : 'A key with the permission projects_create can create one.'}
          </p>
        </Empty>
      ) : (
        <Projects projects={projects} />
      )}
      <Installation status={value} />
      {isCreating && <NewProject onClose={() => setCreating(false)} />}
    </section>
  )
}

/** The status has a hundred projects per page. */
async function readStatus(signal: AbortSignal): Promise<Status> {
  const status = await api.get<Status>('status/', {}, signal)
  const projects = [...status.projects]
  while (projects.length < status.project_count) {
    const more = await api.get<Status>('status/', { offset: projects.length }, signal)
    if (more.projects.length === 0) break
    projects.push(...more.projects)
  }
  return { ...status, projects }
}

/** What needs attention. */
function Troubles({ status: { drivers, projects } }: { status: Status }) {
  const away = drivers.filter(({ available }) => !available)
  const failing = projects.filter(({ failed_sources }) => failed_sources.length > 0)
  const ended = projects.filter(
    ({ failed_sources, last_sync }) => failed_sources.length === 0 && last_sync?.status === 'failed',
  )
  const held = projects.filter(({ removals_held }) => removals_held)
  return (
    <>
      {away.map(({ port, driver }) => (
        <div key={port} class="notice bad" role="alert">
          <p>
            The {port} ({describeDriver(driver)}) does not answer. Check that its server runs and that Lectern
            can reach it.
          </p>
        </div>
      ))}
      {failing.flatMap(({ slug, name, failed_sources }) =>
        failed_sources.map((source) => (
          <div key={source.uuid} class="notice bad">
            <p>
              <strong>
                {name}: the source {source.name} failed.
              </strong>{' '}
              {source.last_error}
            </p>
            {may('sources_read') && <a href={projectHref(slug, 'sources')}>To the sources</a>}
          </div>
        )),
      )}
      {ended.map(({ slug, name, last_sync }) => (
        <div key={slug} class="notice bad">
          <p>
            <strong>{name}: the last run failed.</strong> {last_sync?.error}
          </p>
          {may('sync_read') && <a href={projectHref(slug, `runs/${last_sync!.uuid}`)}>To the run</a>}
        </div>
      ))}
      {held.map(({ slug, name, last_sync, removals_held }) => (
        <div key={slug} class="notice">
          <p>
            <strong>{name}: removals are held.</strong> {removals_held} If the pages are gone for good, sync
            again; if not, check the site and the globs of its sources first.
          </p>
          {may('sync_read') && (
            <a href={projectHref(slug, `runs/${last_sync!.uuid}`, { type: 'removals_held' })}>To the run</a>
          )}
        </div>
      ))}
    </>
  )
}

function Projects({ projects }: { projects: ProjectStatus[] }) {
  return (
    <PlainTable
      label="Projects"
      titles={[
        'Project',
        'Last run',
        ['Pages', 'number'],
        'Sources',
        ['Embedding', 'wide'],
        ['Next sync', 'wide'],
      ]}
      rows={projects}
    >
      {(project) => <ProjectRow key={project.slug} {...project} />}
    </PlainTable>
  )
}

function ProjectRow({ slug, name, last_sync, page_count, failed_sources, ...rest }: ProjectStatus) {
  const failed = failed_sources.length
  return (
    <tr>
      <td>
        <a href={projectHref(slug, 'pages')}>{name}</a>
      </td>
      <td>
        {last_sync === null ? (
          <a href={projectHref(slug, 'runs')}>never synced</a>
        ) : (
          <>
            <RunState run={last_sync} />{' '}
            <a class="plain-link" href={projectHref(slug, `runs/${last_sync.uuid}`)}>
              <When at={last_sync.finished_at ?? last_sync.started_at ?? last_sync.created_at} />
            </a>
            <FailedPages slug={slug} run={last_sync} />
          </>
        )}
      </td>
      <td class="number">{formatNumber(page_count)}</td>
      <td>
        {failed === 0 ? (
          <span class="quiet">no failure</span>
        ) : (
          <Dot tone="bad">
            {may('sources_read') ? (
              <a href={projectHref(slug, 'sources')}>{formatCount(failed, 'source')} failing</a>
            ) : (
              `${formatCount(failed, 'source')} failing`
            )}
          </Dot>
        )}
      </td>
      <td class="wide">
        <Embedding progress={rest.embedding} />
      </td>
      <td class="wide">
        <When at={rest.next_sync_at} none="no schedule" />
      </td>
    </tr>
  )
}

/** Sources that a run could not read, with their events. */
function FailedPages({ slug, run: { uuid, pages } }: { slug: string; run: SyncRun }) {
  if (pages.failed === 0) return null
  const text = `${formatCount(pages.failed, 'page')} failed`
  return (
    <div>
      {may('sync_read') ? (
        <a href={projectHref(slug, `runs/${uuid}`, { type: 'page_failed' })}>{text}</a>
      ) : (
        text
      )}
    </div>
  )
}

function Embedding({ progress }: { progress: EmbeddingProgress | null }) {
  if (progress === null) return <span class="quiet">off</span>
  const { done, total, refused } = progress
  if (total === 0) return <span class="quiet">–</span>
  if (done + refused >= total) return <span class="quiet">{formatCount(done, 'section')}</span>
  return (
    <>
      <Meter label="Embedded sections" value={done} max={total} />{' '}
      <span class="quiet">
        {formatNumber(done)} of {formatNumber(total)}
      </span>
    </>
  )
}

function Installation({ status }: { status: Status }) {
  return (
    <div class="card">
      <h2>Installation</h2>
      <Backends status={status} />
    </div>
  )
}

function NewProject({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [slug, setSlug] = useState('')

  async function create() {
    const body = { name, ...(slug !== '' && { slug }) }
    const project = await api.post<Project>('projects/', body)
    say(`The project ${project.name} was created.`)
    await readProjects()
    go(projectHref(project.slug, 'sources'))
  }

  return (
    <Dialog title="New project" onClose={onClose}>
      <Form submit="Create project" onSubmit={create}>
        <TextField name="name" label="Name" value={name} onChange={setName} hint="What readers see." />
        <TextField
          name="slug"
          label="Slug"
          value={slug}
          onChange={setSlug}
          hint="Names the project in addresses. It is made from the name if you leave it out, and cannot be changed later."
        />
      </Form>
    </Dialog>
  )
}
