// C7, API keys: permissions and last use of each, new keys with minimum permissions, and revocation.
import { useState } from 'preact/hooks'
import { useStore } from '../../components/store.ts'
import { permissionGroups } from '../key-uses.ts'
import { readAll, useLoad } from '../load.ts'
import { Secret } from '../parts/copied.tsx'
import { ConfirmButton } from '../parts/dialog.tsx'
import { Empty, Head } from '../parts/notices.tsx'
import { ShortTable } from '../parts/short-table.tsx'
import { say } from '../parts/toasts.tsx'
import { When } from '../parts/values.tsx'
import type { Key } from '../rows.ts'
import { api, may, session } from '../session.ts'
import { KeyForm } from './key-form.tsx'

const permissionCount = permissionGroups.flatMap(([, permissions]) => permissions).length

const describePermissions = (permissions: Key['permissions']) =>
  permissions.length === permissionCount ? 'all' : permissions.join(', ')

export function Screen() {
  const keys = useLoad((signal) => readAll<Key>('keys/', {}, signal), [])
  const own = useStore(session)?.own.uuid
  const [made, setMade] = useState<{ name: string; key: string } | null>(null)
  const [isOpen, setOpen] = useState(false)
  const canRevoke = may('keys_delete')
  return (
    <section>
      <Head title="Keys" about="API keys of the team, the newest first. The admin key is not among them.">
        {may('keys_create') && !isOpen && (
          <button class="primary" type="button" onClick={() => setOpen(true)}>
            New key
          </button>
        )}
      </Head>
      {isOpen && (
        <div class="card">
          <h2>New key</h2>
          <KeyForm
            onCancel={() => setOpen(false)}
            whenMade={(key) => {
              setMade(key)
              setOpen(false)
              keys.reload()
            }}
          />
        </div>
      )}
      {made && (
        <Secret label="API key" text={made.key}>
          The key “{made.name}” was created. Copy it to where it is used.
        </Secret>
      )}
      <ShortTable
        rows={keys}
        label="Keys"
        titles={[
          'Name',
          'Permissions',
          'Projects',
          'Last used',
          'Expires',
          ...(canRevoke ? ['Actions'] : []),
        ]}
        empty={
          <Empty title="There are no keys">
            <p>A program that searches a private project, or starts syncs, needs one.</p>
          </Empty>
        }
      >
        {(key) => (
          <tr key={key.uuid}>
            <td>
              {key.name}
              {key.uuid === own && <span class="quiet"> (this one)</span>}
              {key.member_uuid && <div class="quiet">personal</div>}
            </td>
            <td>{describePermissions(key.permissions)}</td>
            <td>{key.projects?.join(', ') ?? 'all'}</td>
            <td>
              <When at={key.last_used_at} />
            </td>
            <td>
              <When at={key.expires_at} />
            </td>
            {canRevoke && (
              <td>
                <ConfirmButton
                  label="Revoke"
                  title={`Revoke the key ${key.name}?`}
                  onConfirm={async () => {
                    await api.delete(`keys/${key.uuid}/`)
                    say(`The key ${key.name} was revoked.`)
                    keys.reload()
                  }}
                >
                  <p>Programs that use it are refused from now on. It cannot be undone.</p>
                  {key.uuid === own && <p>It is the key that you are signed in with.</p>}
                </ConfirmButton>
              </td>
            )}
          </tr>
        )}
      </ShortTable>
    </section>
  )
}
