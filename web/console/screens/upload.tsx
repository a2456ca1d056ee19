// Uploads of files and zipped sites, with progress and cancellation.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { say, sayError } from '../parts/toasts.tsx'
import { Meter } from '../parts/values.tsx'
import { api } from '../session.ts'
import { projectPath } from '../sources.ts'

interface Progress {
  label: string
  share: number
  leave: AbortController
}

export function Upload({ slug, whenAdded }: { slug: string; whenAdded(): void }) {
  const [progress, setProgress] = useState<Progress | null>(null)
  const [site, setSite] = useState<File | null>(null)
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const current = useRef<Progress | null>(null)
  current.current = progress
  useEffect(() => () => current.current?.leave.abort(), [])

  async function send(form: FormData, files: readonly File[], label: string) {
    const leave = new AbortController()
    setProgress({ label, share: 0, leave })
    const onProgress = (share: number) => setProgress({ label, share, leave })
    try {
      await api.upload(projectPath(slug, 'sources/'), form, { onProgress, signal: leave.signal })
      say(`Uploaded ${label}. The next sync reads what is new.`)
      whenAdded()
    } catch (error) {
      if (error instanceof ApiError) error.message = nameFile(error.message, files)
      throw error
    } finally {
      setProgress(null)
      if (input.current) input.current.value = ''
    }
  }

  /** A single zip file is a site, which needs an address. */
  function take(files: readonly File[]) {
    const [first] = files
    if (!first || progress !== null) return
    if (files.length === 1 && /\.zip$/i.test(first.name)) return setSite(first)
    const form = new FormData()
    for (const file of files) form.append('files[]', file)
    void send(form, files, files.length === 1 ? first.name : `${files.length} files`).catch(sayError)
  }

  if (progress !== null && site === null) return <ProgressCard {...progress} />
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field within it does the same by keyboard */}
      <div
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          take([...(event.dataTransfer?.files ?? [])])
        }}
      >
        <label>
          <strong>Drop files here, or choose them</strong>
          <span class="quiet">
            PDF, Markdown, text, DOCX, XLSX or CSV, at most 10 MB each and 20 at once; or a zipped static site
            of at most 250 MB.
          </span>
          <input
            ref={input}
            type="file"
            multiple
            accept=".pdf,.md,.txt,.docx,.xlsx,.csv,.zip"
            onChange={(event) => take([...(event.currentTarget.files ?? [])])}
          />
        </label>
      </div>
      {site && (
        <SiteDialog
          file={site}
          progress={progress}
          onClose={() => {
            progress?.leave.abort()
            setSite(null)
          }}
          onSend={async (form) => {
            await send(form, [site], site.name)
            setSite(null)
          }}
        />
      )}
    </>
  )
}

/** Names the file in place of its field: `The field files[0]: a.pdf is …`, `The field files[0] must be …`. */
function nameFile(message: string, files: readonly File[]): string {
  return message.replace(/^The field (?:files\[(\d+)\]|site_zip)(: )?/, (_, at = 0, colon) =>
    colon ? '' : (files[at]?.name ?? ''),
  )
}

function ProgressCard({ label, share, leave }: Progress) {
  const percent = Math.round(share * 100)
  return (
    <div class="card" role="status">
      <div class="row">
        <span>
          {label}: {percent < 100 ? `${percent} %` : 'received, being read'}
        </span>
        <Meter label="Upload" value={percent} max={100} />
        <button type="button" onClick={() => leave.abort()}>
          Cancel the upload
        </button>
      </div>
    </div>
  )
}

interface SiteDialogProps {
  file: File
  progress: Progress | null
  onClose(): void
  onSend(form: FormData): Promise<void>
}

function SiteDialog({ file, progress, onClose, onSend }: SiteDialogProps) {
  const [name, setName] = useState(file.name.replace(/\.zip$/i, ''))
  const [baseUrl, setBaseUrl] = useState('')

  function send() {
    const form = new FormData()
    form.append('site_name', name)
    form.append('base_url', baseUrl)
    form.append('site_zip', file)
    return onSend(form)
  }

  return (
    <Dialog title="Upload a site" onClose={onClose}>
      <Form submit="Upload" onSubmit={send}>
        <TextField name="site_name" label="Name" value={name} onChange={setName} />
        <TextField
          name="base_url"
          label="Address"
          type="url"
          placeholder="https://docs.example.com/"
          hint="Where the site is served: results link there. The archive of a site at the same address is replaced."
          value={baseUrl}
          onChange={setBaseUrl}
        />
      </Form>
      {progress && <ProgressCard {...progress} />}
    </Dialog>
  )
}
