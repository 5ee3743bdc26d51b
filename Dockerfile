FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download && go mod verify
COPY . .
ARG VERSION=unknown
ENV CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false"
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go build -ldflags "-s -w -X main.version=${VERSION}" -o /out/vestnik ./cmd/vestnik && \
    go build -ldflags "-s -w" -o /out/healthcheck ./deploy/healthcheck && \
    go run ./deploy/sbom /out/vestnik >/out/sbom.json

# CA certificates, and nothing else: no shell, no package manager, and no base
# image to keep up with. The time zone database is inside the binary.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/vestnik /out/healthcheck /
COPY --from=build /out/sbom.json /usr/share/vestnik/sbom.json
USER 65532:65532
# In a container the loopback address reaches nobody.
ENV HTTP_ADDR=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/healthcheck"]
ENTRYPOINT ["/vestnik"]
CMD ["--help"]
